(* The source group has a core that ends with two threads or more. The
   destination group has a core that ends idle. The two groups may be the
   same. *)

open Dromos_policy_core.Core

let group_filter_complete policy by_group =
  let f = by_group.can_steal_group in
  let heavy = Balancing.core "heavy" and idle = Balancing.core "idle" in
  let t, p =
    Balancing.begin_with
      (Balancing.setting policy ~instances:[ heavy; idle ]
         [
           Balancing.role heavy (Some (Busy 2)); Balancing.role idle (Some Idle);
         ])
  in
  let group (l : local) holds p =
    let g = Symbolic.fresh t l.local_name l.local_ty in
    let p = Symbolic.know p [ Term.le (Term.int 0) g; Sets.in_group g holds ] in
    Symbolic.bind p l g
  in
  let p = group f.filter_source heavy p in
  let p = group f.filter_destination idle p in
  let cases = ref [] in
  Symbolic.evaluate t p f.admits (fun p admitted ->
      cases :=
        Obligation.case ~roles:[ heavy; idle ] p admitted
          "can_steal_group says false: nothing is stolen for the core named \
           idle from the group of the core named heavy, which has two threads \
           or more"
        :: !cases);
  {
    Obligation.name = "group_filter_complete";
    about =
      "can_steal_group admits every group with a core of two or more threads \
       for one with an idle core";
    place = f.admits.at;
    cases = List.rev !cases;
  }

let obligations policy by_group =
  let steal = Option.get policy.steal in
  [
    group_filter_complete policy by_group;
    Balancing.selects policy ~name:"group_select_member" ~phase:"select_group"
      ~what:"group" by_group.select_group;
    Balancing.search policy steal ~name:"group_until_sound" ~what:"group"
      ~repeated:by_group.group_repeated by_group.group_until;
  ]
