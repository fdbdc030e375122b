(* Tests the policy of the kernel's machine: by hand, against the written policy
   on a machine where every thread may run everywhere, against a smaller machine
   where threads may not, and with the prover and the model checker. *)

open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_explore
open Dromos_policy_prove
open Dromos_policy_verdict
open Dromos_policy_kernel_machine

let allowed policy =
  match Allowed.policy policy with
  | Ok p -> p
  | Error (_, why) -> Alcotest.fail why

let cpus m = Option.get (Allowed.attribute (Machine.layout m).policy)
let mask cores = List.fold_left (fun set c -> set lor (1 lsl c)) 0 cores

let may_run m s thread cores =
  Look.set_attribute m s (cpus m) thread (mask cores)

let first_of ways = Int.min 0 ways

let run ?(draw = first_of) m s event ~self ~target =
  ignore (Machine.run ~draw m s event ~self ~target : Machine.report)

let core_of m s t =
  match Look.place m s t with `At (c, _) -> c | `New | `Moving -> -1

(* {1 By hand} *)

let text file = Changed.read file
let all_forms = text "all_forms.policy"

let named m name =
  List.find
    (fun (a : Core.attribute) -> a.name = name)
    (Array.to_list (Machine.layout m).policy.attributes)

(* Puts a number of threads on each core. The core runs one of them. *)
let stand m s counts =
  let thread = ref 0 in
  List.iteri
    (fun c n ->
      for _ = 1 to n do
        may_run m s !thread [ c ];
        run m s New ~self:0 ~target:!thread;
        Environment.settle m s;
        incr thread
      done)
    counts;
  !thread

let machine ?(changes = []) ?(topology = Topology.tree ~cores:4 2) ~threads () =
  Machine.create ~threads topology (allowed (Changed.policy all_forms changes))

let placed ?draw ?(event = Core.New) ~kind ~self ~cores counts () =
  let threads = 1 + List.fold_left ( + ) 0 counts in
  let m = machine ~threads () in
  let s = Machine.initial m in
  let t = stand m s counts in
  Look.set_attribute m s (named m "kind") t kind;
  may_run m s t cores;
  run ?draw m s event ~self ~target:t;
  Alcotest.(check int)
    "crowd" (List.length cores)
    (Look.attribute m s (named m "crowd") t);
  core_of m s t

let goes_to core placed () = Alcotest.(check int) "core" core (placed ())

let forms =
  let case name ?draw ?event ~kind ~self ~cores counts core =
    Alcotest.test_case name `Quick
      (goes_to core (placed ?draw ?event ~kind ~self ~cores counts))
  in
  [
    case "first" ~kind:0 ~self:0 ~cores:[ 1; 3 ] [ 3; 1; 2; 2 ] 3;
    case "first, of all" ~kind:0 ~self:0 ~cores:[ 0; 1; 2; 3 ] [ 3; 1; 2; 2 ] 0;
    case "any, the first" ~kind:1 ~self:0 ~cores:[ 1; 3 ] [ 0; 0; 0; 0 ] 1;
    case "any, the last"
      ~draw:(fun ways -> ways - 1)
      ~kind:1 ~self:0 ~cores:[ 1; 2 ] [ 0; 0; 0; 0 ] 2;
    case "empty" ~kind:2 ~self:0 ~cores:[ 2; 3 ] [ 0; 0; 2; 1 ] 2;
    case "not empty" ~kind:2 ~self:0 ~cores:[ 2; 3 ] [ 0; 0; 1; 0 ] 3;
    case "in" ~kind:3 ~self:1 ~cores:[ 1; 2 ] [ 0; 0; 5; 0 ] 1;
    case "not in" ~kind:3 ~self:0 ~cores:[ 1; 2 ] [ 0; 1; 2; 0 ] 2;
    case "foreach, of a domain" ~kind:4 ~self:0 ~cores:[ 1; 3 ] [ 3; 1; 0; 2 ] 1;
    case "foreach, of a larger domain" ~kind:4 ~self:0 ~cores:[ 2; 3 ]
      [ 3; 1; 0; 2 ] 3;
    case "a set of a group" ~kind:5 ~self:3 ~cores:[ 0; 1; 2 ] [ 0; 0; 0; 0 ] 2;
    case "idle" ~kind:6 ~self:0 ~cores:[ 1; 2; 3 ] [ 0; 1; 0; 0 ] 2;
    case "idle, but none that may" ~kind:6 ~self:0 ~cores:[ 1; 2; 3 ]
      [ 0; 3; 2; 2 ] 2;
    case "nowhere" ~kind:7 ~self:0 ~cores:[ 1; 3 ] [ 0; 2; 0; 1 ] 3;
    case "nowhere, the same counts" ~kind:7 ~self:0 ~cores:[ 1; 3 ]
      [ 0; 1; 0; 1 ] 1;
    case "here" ~kind:8 ~self:1 ~cores:[ 1; 3 ] [ 0; 2; 0; 1 ] 1;
    case "here, where it may not" ~kind:8 ~self:0 ~cores:[ 1; 3 ] [ 0; 2; 0; 1 ]
      3;
    case "unblock is as new" ~kind:8 ~self:2 ~cores:[ 0 ] [ 1; 0; 0; 0 ] 0;
    case "attach" ~event:Attach ~kind:0 ~self:0 ~cores:[ 2; 3 ] [ 0; 0; 1; 0 ] 3;
  ]

(* A handler of the running thread asks for all cores, as the written policy
   does. *)
let tick_counts_all () =
  let m = machine ~threads:1 () in
  let s = Machine.initial m in
  may_run m s 0 [ 2 ];
  run m s New ~self:0 ~target:0;
  Environment.settle m s;
  run m s Tick ~self:2 ~target:0;
  Alcotest.(check int) "crowd" 4 (Look.attribute m s (named m "crowd") 0)

(* Only the second of three threads on core 0 may run on core 1. `until` stops
   after one thread, and is not evaluated after threads that were not
   offered. *)
let offered () =
  let m = machine ~topology:(Topology.flat 2) ~threads:4 () in
  let s = Machine.initial m in
  let t = stand m s [ 4; 0 ] in
  may_run m s 2 [ 0; 1 ];
  run m s Balancing ~self:0 ~target:0;
  Alcotest.(check (list int)) "cores" [ 0; 0; 1; 0 ] (List.init t (core_of m s))

(* The policy applies its own affinity to cores allowed by the system, and
   promises both. *)
let own_affinity () =
  let changes =
    [
      ("int crowd;", "int crowd; system core never;");
      ( "  int crowd() {",
        "  bool can_run(thread t, core c) { return t.never != c; }\n\
        \  int crowd() {" );
      ( "if (t.kind == 1) return any(system_cores());",
        "if (t.kind == 1) {\n\
         foreach (c in system_cores()) {\n\
         if (can_run(t, c)) return c;\n\
         }\n\
         }" );
    ]
  in
  let m = machine ~threads:1 ~changes () in
  let s = Machine.initial m in
  Look.set_attribute m s (named m "kind") 0 1;
  Look.set_attribute m s (named m "never") 0 1;
  may_run m s 0 [ 1; 3 ];
  run m s New ~self:0 ~target:0;
  Alcotest.(check int) "core" 3 (core_of m s 0);
  Alcotest.(check int) "crowd" 2 (Look.attribute m s (named m "crowd") 0);
  Alcotest.(check (list bool))
    "affinity"
    [ false; false; false; true ]
    (List.init 4 (fun core -> Machine.may_run m s ~thread:0 ~core))

(* {1 Against the policy as it was written} *)

let random_text n =
  Random_policy.text Watch.chance ~name:(Printf.sprintf "random_%d" n)

let below n = Random.State.int Watch.chance n

let whole_handlers m s =
  List.filter_map
    (function
      | Wander.Start (event, self, target) -> Some (event, self, target)
      | Wander.Step _ -> None)
    (Wander.moves m s
       (List.filter
          (fun e -> e <> Core.Balancing)
          (Environment.kinds m ~during:New)))

let same_attributes m s n t (written : Core.policy) =
  let owners (a : Core.attribute) =
    let { Layout.threads; topology; _ } = Machine.layout m in
    match a.owner with
    | Of_thread -> threads
    | Of_core -> topology.cores
    | Of_group -> Array.length topology.groups
    | Of_domain -> Array.length topology.domains
    | Global -> 1
  in
  Array.for_all
    (fun (a : Core.attribute) ->
      a.is_lazy
      || List.for_all
           (fun i -> Look.attribute m s a i = Look.attribute n t a i)
           (List.init (owners a) Fun.id))
    written.attributes

(* If each thread may run everywhere the two policies agree, as long as the
   written policy puts each thread on a core. *)
let as_written text topology =
  let written = Random_policy.policy text in
  let m = Machine.create ~threads:5 topology written
  and n = Machine.create ~threads:5 topology (allowed written) in
  let s = Machine.initial m and t = Machine.initial n in
  let steps = ref 0 and lost = ref false in
  while !steps < 60 && not !lost do
    incr steps;
    match whole_handlers m s with
    | [] -> lost := true
    | all ->
        let event, self, target = Wander.pick all in
        let k = below 7 in
        let draw ways = k mod ways in
        run ~draw m s event ~self ~target;
        run ~draw n t event ~self ~target;
        (* The record of excused cores is no part of the policy. *)
        Instance.clear s;
        Instance.clear t;
        let moving u = Look.place m s u = `Moving in
        if (event = New || event = Unblock) && moving target then lost := true
        else if
          Look.show m s <> Look.show n t
          || not (same_attributes m s n t written)
        then
          Alcotest.failf "%s@.after %s of %d on %d@.written %s@.kernel  %s" text
            (Query.event_name event) target self (Look.show m s) (Look.show n t)
  done

let all_as_written () =
  for n = 1 to 100 do
    List.iter
      (as_written (random_text n))
      [ Topology.flat 3; Topology.tree ~cores:4 2 ]
  done

(* {1 Against a smaller machine} *)

(* The smaller machine has only the cores on which the thread may run, so the
   policy's own sets of cores are the allowed cores. The comparison needs a
   policy that looks at sets of all cores, and remembers nothing of the whole
   machine. *)
let comparable (p : Core.policy) =
  let fine = ref true in
  let expression (e : Core.expression) =
    match e.it with
    | Groups_of _ | Domains_of _ | Cores_of _
    | Read (None, { system = false; _ }) ->
        fine := false
    | _ -> ()
  in
  Option.iter
    (fun (h : Core.handler) ->
      Visits.block ~statement:ignore ~expression h.handler_body)
    (Query.handler p New);
  !fine && Query.handler p New <> None

let as_on_less text =
  let written = Random_policy.policy text in
  if not (comparable written) then false
  else begin
    let cores = [ 0; 1; 2; 3 ] in
    let kept = List.filter (fun _ -> below 2 = 0) cores in
    let kept = if kept = [] then [ below 4 ] else kept in
    let counts = List.map (fun _ -> below 3) cores in
    let few = List.map (List.nth counts) kept in
    let machine cores counts =
      let threads = 1 + List.fold_left ( + ) 0 counts in
      Machine.create ~threads
        (Topology.flat (List.length cores))
        (allowed written)
    in
    let m = machine cores counts and n = machine kept few in
    let s = Machine.initial m and t = Machine.initial n in
    let u = stand m s counts and v = stand n t few in
    may_run m s u kept;
    may_run n t v (List.mapi (fun i _ -> i) kept);
    let self = below (List.length kept) and k = below 7 in
    let draw ways = k mod ways in
    run ~draw m s New ~self:(List.nth kept self) ~target:u;
    run ~draw n t New ~self ~target:v;
    let there = core_of n t v in
    let there = if there < 0 then there else List.nth kept there in
    if core_of m s u <> there then
      Alcotest.failf "%s@.%s@.is on core %d, and with less cores on core %d@.%s"
        text (Look.show m s) (core_of m s u) there (Look.show n t);
    true
  end

let all_as_on_less () =
  let compared = ref 0 in
  for n = 1 to 400 do
    if as_on_less (random_text n) then incr compared
  done;
  if !compared < 40 then Alcotest.failf "only %d were compared" !compared

(* {1 Whatever the policy does} *)

(* Random masks, changed while their threads are in no queue. *)
let never_misplaced text =
  let p = allowed (Random_policy.policy text) in
  let m = Machine.create ~runners:3 ~threads:5 (Topology.flat 3) p in
  let s = Machine.initial m in
  let kinds = Environment.kinds m ~during:Balancing in
  for _ = 1 to 200 do
    match Wander.moves m s kinds with
    | [] -> ()
    | all ->
        let move = Wander.pick all in
        (match move with
        | Start ((New | Unblock), _, t) ->
            Look.set_attribute m s (cpus m) t (1 + below 7)
        | Start _ | Step _ -> ());
        Wander.apply m s move;
        Option.iter (Alcotest.failf "%s@.%s" text) (Look.broken m s);
        for t = 0 to 4 do
          match Look.place m s t with
          | `At (c, { state_class = Running | Ready; _ }) ->
              if (Look.attribute m s (cpus m) t lsr c) land 1 = 0 then
                Alcotest.failf "%s@.t%d is on core %d: %s" text t c
                  (Look.show m s)
          | _ -> ()
        done
  done

let none_misplaced () =
  for n = 1 to 100 do
    never_misplaced (random_text n)
  done

(* {1 Verdicts} *)

let found report property =
  (List.find
     (fun (r : Verdict.result) -> r.property = property)
     report.Verdict.results)
    .answer

(* The policy of the kernel's machine without the move elsewhere: a thread goes
   to the core named by the policy. *)
let without_fallback (p : Core.policy) =
  let rec block b = List.concat_map statement b
  and statement (s : Core.statement) =
    match s.what with
    | If
        ( { it = In (_, { it = Read (_, { name = "cpus_ptr"; _ }); _ }); _ },
          [ ({ what = Move _; _ } as move) ],
          [ { what = Move _; _ } ] ) ->
        [ move ]
    | If (c, yes, no) -> [ { s with what = If (c, block yes, block no) } ]
    | Foreach f -> [ { s with what = Foreach { f with body = block f.body } } ]
    | _ -> [ s ]
  in
  let handler (h : Core.handler) =
    { h with handler_body = block h.handler_body }
  in
  { p with handlers = List.map handler p.handlers }

let to_last_core = text "to_last_core.policy"

let contains text part =
  let n = String.length part in
  let rec at i =
    i + n <= String.length text && (String.sub text i n = part || at (i + 1))
  in
  at 0

let violated ~by policy property =
  let report = Verdict.check ~seconds:5. policy in
  match found report property with
  | Violated { trace; _ } ->
      Result.iter_error (fun why -> Alcotest.fail why) (Trace.replay trace);
      let said = Format.asprintf "%a" Trace.pp trace in
      if not (contains said by) then
        Alcotest.failf "nothing is said of %S:@.%s" by said
  | _ ->
      Alcotest.failf "%a"
        (Verdict.pp ~trace:true ~times:true ~file:"last_core")
        report

let last_core () =
  let p = allowed (Changed.policy to_last_core []) in
  (match found (Verdict.check p) Conservation with
  | Proved _ -> ()
  | _ -> Alcotest.fail "with the move elsewhere no thread is misplaced");
  violated (without_fallback p) Conservation ~by:"on which it may not run"

(* Some policies are right elsewhere and wrong on the kernel's machine: here,
   taking only the lightest thread of a core. *)
let lightest () =
  let p = Changed.policy (text "lightest.policy") [] in
  (match found (Verdict.check p) Gcwc with
  | Proved _ -> ()
  | _ -> Alcotest.fail "the lightest thread is enough where all may be taken");
  violated (allowed p) Gcwc ~by:"cpus_ptr"

(* `until` ends the offering at once, but is evaluated only after a thread that
   was offered, and therefore taken. *)
let ends_at_once () =
  let report = Verdict.check (allowed (Changed.policy all_forms [])) in
  List.iter
    (fun property ->
      match found report property with
      | Verdict.Proved _ -> ()
      | _ ->
          Alcotest.failf "%a"
            (Verdict.pp ~trace:true ~times:true ~file:"")
            report)
    Prove.[ Gcwc; Conservation ]

let agree text =
  let p = allowed (Random_policy.policy text) in
  (* Raises if a proved property is violated. *)
  ignore (Verdict.check ~limit:5. ~seconds:0.2 ~second:0.2 p : Verdict.report)

let both_agree () =
  for n = 1 to 4 do
    let text = random_text n in
    try agree text
    with Verdict.Contradiction why -> Alcotest.failf "%s@.%s" text why
  done

(* {1 Dispatch queues} *)

let shipped name =
  match Dromos_policy_elaborate.Elaborate.file ("../../policies/" ^ name) with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s has faults" name

(* The thread seen by the thief has run before the move. *)
let moves_that_fail () =
  let fifo = shipped "fifo.policy" in
  let report = Verdict.check ~unlocked:fifo (allowed fifo) in
  (match found report Gcwc with
  | Violated { trace; _ } ->
      Result.iter_error (fun why -> Alcotest.fail why) (Trace.replay trace);
      let said = Format.asprintf "%a" Trace.pp trace in
      if not (contains said "does not find t1 ready on core 0 any more") then
        Alcotest.fail said
  | _ -> Alcotest.fail "no move fails");
  match found report (Lcwc New) with
  | Proved _ -> ()
  | _ -> Alcotest.fail "placing has to do with stealing"

(* If a thread that begins to run excuses its core no violation is left:
   policy/theories/unlocked.mlw. *)
let excused () =
  let fifo = allowed (shipped "fifo.policy") in
  let series =
    List.map
      (fun (cores, threads, events) ->
        { Bounds.cores; threads; events; varied = false })
      [ (2, 3, 0); (2, 3, 1); (2, 3, 2); (3, 4, 1) ]
  in
  match
    (Explore.check ~source_lock:Each_move ~seconds:30. ~series fifo Gcwc)
      .verdict
  with
  | Holds -> ()
  | Limit -> Alcotest.fail "nothing was searched"
  | Violated trace -> Alcotest.failf "%a" Trace.pp trace

(* No thread is lost, whatever happens to the thread between the look and the
   move. *)
let none_lost () =
  for n = 1 to 60 do
    let text = random_text n in
    let p = Random_policy.policy text in
    let m =
      Machine.create ~source_lock:Each_move ~runners:3 ~threads:5
        (Topology.flat 3) p
    in
    let s = Machine.initial m in
    let kinds = Environment.kinds m ~during:Balancing in
    for _ = 1 to 300 do
      match Wander.moves m s kinds with
      | [] -> ()
      | all ->
          Wander.apply m s (Wander.pick all);
          Option.iter (Alcotest.failf "%s@.%s" text) (Look.broken m s)
    done
  done

let () =
  Watch.suite "machine of the kernel" (fun () ->
      Alcotest.run ~and_exit:false "machine of the kernel"
        [
          ("forms", forms);
          ( "by hand",
            [
              Watch.case "tick counts all cores" tick_counts_all;
              Watch.case "offered threads" offered;
              Watch.case "an affinity of its own" own_affinity;
            ] );
          ( "compared",
            [
              Watch.case "with what was written" all_as_written;
              Watch.case "with a smaller machine" all_as_on_less;
              Watch.case "no thread is misplaced" none_misplaced;
            ] );
          ( "verdicts",
            [
              Watch.case "to the last core" last_core;
              Watch.case "the lightest thread" lightest;
              Watch.case "the offering ends at once" ends_at_once;
              Watch.case "prover and model checker" both_agree;
            ] );
          ( "dispatch queues",
            [
              Watch.case "moves that fail" moves_that_fail;
              Watch.case "another thread runs" excused;
              Watch.case "no thread is lost" none_lost;
            ] );
        ])
