(* Loads and thresholds: what is proved of GCWC where each thread weighs the same,
   or something between two limits. *)

open Dromos_policy_prove

let text ~load ~coming ~worth =
  Printf.sprintf
    {|scheduler weights = {
  const int NICE = 512 * 2;
  thread = { %s system bool heavy; system int nice; }
  core = {
    threads = {
      RUNNING thread current;
      READY set<thread> ready;
      BLOCKED blocked;
      TERMINATED terminated;
    }
    system shared int cload;
  }
  steal = {
    can_steal_core(core src, core dst) { %s } => loaded
    do {
      select_core() { first(loaded order = { highest cload }) } => src
      steal_thread(core dst, thread t) { if (%s) t => dst.ready; }
        until (count(dst) != 0)
    } until (count(dst) != 0)
  }
  handler (thread_event e) {
    On new { core c = first(system_cores() order = { lowest cload }); %s e.target => c.ready; }
    On unblock { core c = first(system_cores() order = { lowest cload }); e.target => c.ready; }
    On block { e.target => blocked; }
    On terminate { e.target => terminated; }
    On schedule { first(ready) => current; }
  }
  handler (core_event e) {
    On synchronized balancing { foreach (c in system_cores()) steal_for(c); }
  }
}|}
    load worth worth coming

let verdict ~load ~coming ~worth =
  let failed faults =
    Alcotest.failf "%s: %s" worth
      (String.concat "\n"
         (List.map (fun f -> Dromos_policy_syntax.Fault.to_string f) faults))
  in
  match Dromos_policy_syntax.Parse.string (text ~load ~coming ~worth) with
  | Error fault -> failed [ fault ]
  | Ok ast -> (
      match Dromos_policy_elaborate.Elaborate.policy ast with
      | Error faults -> failed faults
      | Ok { policy; _ } ->
          (List.find
             (fun (r : Prove.result) -> r.property = Gcwc)
             (Prove.policy policy).results)
            .verdict)

let proved ~load ?(coming = "") worth () =
  match verdict ~load ~coming ~worth with
  | Proved _ -> ()
  | other -> Alcotest.fail (Prove.say other)

let refuted ~load ?(coming = "") worth obligation () =
  match verdict ~load ~coming ~worth with
  | Refuted_obligation w -> Alcotest.(check string) "by" obligation w.refuted
  | other -> Alcotest.fail (Prove.say other)

let differ = Printf.sprintf "src.cload - dst.cload >= %s"
let by n = differ (string_of_int n)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  let each n = Printf.sprintf "int load = %d;" n in
  let two a b =
    (each a, Printf.sprintf "e.target.load = e.target.heavy ? %d : %d;" b a)
  in
  let of_two a b worth =
    let load, coming = two a b in
    proved ~load ~coming worth
  and not_of_two a b worth obligation =
    let load, coming = two a b in
    refuted ~load ~coming worth obligation
  in
  Alcotest.run "weights"
    [
      ( "proved",
        [
          case "1 each, a difference of 2" (proved ~load:(each 1) (by 2));
          case "1024 each, a difference of 2048"
            (proved ~load:(each 1024) (by 2048));
          case "1024 each, a difference of 1025"
            (proved ~load:(each 1024) (by 1025));
          case "1024 each, more than one more"
            (proved ~load:(each 1024) "src.cload > dst.cload + 1024");
          case "by a constant"
            (proved ~load:"int load = NICE;" (differ "2 * NICE"));
          case "units of a load"
            (proved ~load:(each 1024) "src.cload / 1024 - dst.cload / 1024 >= 2");
          case "what is not a multiple is none"
            (proved ~load:(each 7) "src.cload % 7 == 0 && count(src) >= 2");
          case "3 or 5, a difference of 6" (of_two 3 5 (by 6));
          case "1024 or 1500, more than 1500" (of_two 1024 1500 (by 1501));
          case "10 to 18, by an expression"
            (proved ~load:(each 10)
               ~coming:"e.target.load = 14 + e.target.nice % 5;" (by 20));
        ] );
      ( "not proved",
        [
          case "1024 each, a difference of 1024"
            (refuted ~load:(each 1024) (by 1024) "steal_safe");
          case "1024 each, a difference of 2049"
            (refuted ~load:(each 1024) (by 2049) "filter_complete");
          case "2 to 3, one may weigh 3" (not_of_two 2 3 (by 3) "steal_safe");
          case "2 to 4, one may weigh as much as two"
            (not_of_two 2 4 (by 4) "steal_safe");
          case "3 or 5, a difference of 7"
            (not_of_two 3 5 (by 7) "filter_complete");
          case "the system says the load"
            (refuted ~load:"system int load;" (by 2) "filter_complete");
        ] );
    ]
