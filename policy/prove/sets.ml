(* A set is known by a membership predicate and by the elements at which facts
   about all members are instantiated. *)

open Types
open Paths

let cores_of_group : Term.symbol =
  { symbol = "cores_of_group"; arity = 2; result = Bool }

let cores_of_domain : Term.symbol =
  { symbol = "cores_of_domain"; arity = 2; result = Bool }

let groups_of : Term.symbol = { symbol = "groups_of"; arity = 2; result = Bool }

let domains_of : Term.symbol =
  { symbol = "domains_of"; arity = 2; result = Bool }

let holder : Term.symbol = { symbol = "group_holding"; arity = 2; result = Int }
let largest = Term.individual "the largest domain"

let core_set ?(inhabited = Term.false_) t member =
  {
    member;
    inhabited;
    vacant = Term.false_;
    stands_in = None;
    instances_of = (fun _ -> (t.setting.instances, []));
  }

(* The attribute does not change, so the set is the same at each read. *)
let in_attribute t owner (a : Dromos_policy_core.Core.attribute) =
  let symbol : Term.symbol =
    { symbol = "cores in " ^ a.name; arity = 2; result = Bool }
  in
  core_set t (fun c -> Term.apply symbol [ owner; c ])

(* A core of a domain is in one of the domain's groups. *)
let groups t domain =
  let member g = Term.apply groups_of [ domain; g ] in
  let instances_of _ =
    List.map
      (fun c ->
        let g = Term.apply holder [ domain; c ] in
        ( g,
          Term.implies
            (Term.apply cores_of_domain [ domain; c ])
            (Term.and_
               [
                 Term.le (Term.int 0) g;
                 member g;
                 Term.apply cores_of_group [ g; c ];
               ]) ))
      t.setting.instances
    |> List.split
  in
  {
    member;
    inhabited = Term.le (Term.int 0) domain;
    vacant = Term.false_;
    stands_in = None;
    instances_of;
  }

(* The last domain of a core holds all cores. None, in place of a core, has no
   domains. *)
let domains t core =
  let member d = Term.apply domains_of [ core; d ] in
  let instances_of _ =
    ( [ largest ],
      [
        Term.le (Term.int 0) largest;
        Term.implies (Term.le (Term.int 0) core) (member largest);
      ]
      @ List.map
          (fun c -> Term.apply cores_of_domain [ largest; c ])
          t.setting.instances )
  in
  {
    member;
    inhabited = Term.le (Term.int 0) core;
    vacant = Term.false_;
    stands_in = None;
    instances_of;
  }

(* Handlers change the set at any time, so one observation says nothing about
   the next. *)
let look t name =
  let symbol = fresh_symbol t name 1 Bool in
  core_set t (fun c -> Term.apply symbol [ c ])

(* An observation of [idle_cores] or [active_cores]: a core is idle if its word
   says that it has no thread. *)
let watched t p ~idle =
  let set = look t (if idle then "idle_cores" else "active_cores") in
  let is_idle core =
    if idle then set.member core else Term.not_ (set.member core)
  in
  let fact p { core; role; locked } =
    let know facts = know_of (Of_role core) p facts in
    match role with
    | Some Idle -> know [ is_idle core ]
    | Some Never_without -> know [ Term.not_ (is_idle core) ]
    | Some (Busy k) when k > 0 -> know [ Term.not_ (is_idle core) ]
    | (Some (Busy _) | None) when locked ->
        let p, count = observe t p core `Count in
        Paths.know p
          (let none = Term.eq count (Term.int 0) in
           [
             Term.implies (is_idle core) none; Term.implies none (is_idle core);
           ])
    | Some (Busy _) | None -> p
  in
  (List.fold_left fact p t.setting.cores, set)

(* A set of threads, groups or domains without known facts. *)
let opaque t name =
  let symbol = fresh_symbol t name 1 Bool in
  {
    member = (fun x -> Term.apply symbol [ x ]);
    inhabited = Term.false_;
    vacant = Term.false_;
    stands_in = None;
    instances_of = (fun _ -> ([], []));
  }

(* The running thread is in no queue until it is moved. *)
let others_than_the_running t p set =
  match t.setting.target with
  | Some target
    when t.setting.target_runs
         && not (List.exists (fun m -> m.moved = target) p.move_log) ->
      {
        set with
        member =
          (fun x -> Term.and_ [ set.member x; Term.not_ (Term.eq x target) ]);
      }
  | Some _ | None -> set

(* A queue that no thread enters is empty. If the core's lock is held and the
   word of the queue is known, the word says whether the queue has members. *)
let queue t p owner (state : Dromos_policy_core.Core.state) =
  let set = others_than_the_running t p (opaque t state.state_name) in
  let set = { set with stands_in = Some (owner, state) } in
  let locked c = c.locked && c.core = owner in
  if List.mem state.state_id t.never_entered then
    { set with member = (fun _ -> Term.false_); vacant = Term.true_ }
  else if List.exists locked t.setting.cores then
    match ready_word t p owner state with
    | None -> set
    | Some word ->
        {
          set with
          inhabited = Term.le (Term.int 1) word;
          vacant = Term.le word (Term.int 0);
        }
  else set

let all_cores t = core_set ~inhabited:Term.true_ t (fun _ -> Term.true_)

let cores_of t (ty : Dromos_policy_core.Core.ty) owner =
  let f = if ty = Domain then cores_of_domain else cores_of_group in
  core_set
    ~inhabited:(Term.le (Term.int 0) owner)
    t
    (fun c -> Term.apply f [ owner; c ])

let filtered t =
  let symbol =
    match t.setting.filtered with
    | Some s -> s
    | None -> fresh_symbol t "filtered" 1 Bool
  in
  core_set t (fun c -> Term.apply symbol [ c ])

let in_largest_domain g = Term.apply groups_of [ largest; g ]
let in_group g c = Term.apply cores_of_group [ g; c ]
