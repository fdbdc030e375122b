(* A property that is PROVED holds after whole events in a row, with and without
   the schedules that are due between the events. Each handler runs to its end
   at once, so no other event excuses a core: after `new` and `unblock` the
   promise is LCWC, after `balancing` GCWC or HCWC. *)

open Dromos_policy_core
open Core
open Dromos_policy_semantics
open Dromos_policy_explore
open Dromos_policy_prove

let cores = 4
let threads = 7
let events = 120
let seconds = 30.
let most = 150
let below n = Random.State.int Watch.chance n

(* {1 One sequence} *)

type event = { kind : Core.event; self : int; target : int }

let of_thread m s thread =
  let self = below cores in
  match Look.place m s thread with
  | `New -> [ { kind = New; self; target = thread } ]
  | `At (_, { state_class = Blocked; _ }) ->
      [ { kind = Unblock; self; target = thread } ]
  | `At (self, { state_class = Running; _ }) ->
      List.map
        (fun kind -> { kind; self; target = thread })
        [ Core.Block; Yield; Tick ]
  | `At _ | `Moving -> []

let possible m s =
  let due = ref [] in
  Environment.due m s (fun c ->
      due := { kind = Schedule; self = c; target = c } :: !due);
  let self = below cores in
  ({ kind = Balancing; self; target = self } :: !due)
  @ List.concat_map (of_thread m s) (List.init threads Fun.id)
  |> List.filter (fun e -> Machine.has m e.kind)

let promise_after policy kind =
  List.find_opt
    (fun p -> p <> Promise.Waiting && Promise.event p = kind)
    (Promise.all policy)

let exempt m s policy e =
  let value =
    match e.kind with New | Unblock -> e.target + 1 | _ -> e.target
  in
  List.exists
    (function
      | Exempt x when x.event = e.kind ->
          Machine.evaluate m s ~target:value x.condition <> 0
      | _ -> false)
    policy.relaxations

let clear (s : Machine.state) =
  s.(Layout.blocked) <- 0;
  s.(Layout.unblocked) <- 0;
  s.(Layout.placed) <- 0

(* Makes the event. Returns the broken promise, if the event has a promise that
   was made and broken. *)
let happens m s policy e =
  let excused = exempt m s policy e in
  clear s;
  let waker =
    match Look.current m s e.self with
    | Some t when t <> e.target -> t
    | Some _ | None -> -1
  in
  ignore
    (Machine.run ~draw:below ~waker m s e.kind ~self:e.self ~target:e.target
      : Machine.report);
  match promise_after policy e.kind with
  | Some promise when not excused -> Some (promise, Promise.breach promise m s)
  | Some _ | None -> None

let topology policy =
  if Visits.uses_topology policy then Topology.tree ~cores 2
  else Topology.flat cores

(* Calls [asked] for each promise that an event had to keep. *)
let sequence policy ~asked =
  let m = Machine.create ~threads (topology policy) policy in
  let s = Machine.initial m in
  let past = ref [] in
  for _ = 1 to events do
    let all = possible m s in
    let e = List.nth all (below (List.length all)) in
    let answer = happens m s policy e in
    past :=
      Printf.sprintf "%-10s %s" (Query.event_name e.kind) (Look.show m s)
      :: !past;
    Option.iter (fun (promise, breach) -> asked promise breach !past) answer
  done

(* {1 Policies} *)

let property : Promise.t -> Prove.property = function
  | Gcwc -> Gcwc
  | Hcwc -> Hcwc
  | Lcwc event -> Lcwc event
  | Waiting -> Waiting

let kept = ref 0
let broken = ref 0

let compare_one text =
  let policy = Random_policy.policy text in
  if Query.affinity policy = None && Query.rounds policy = 0 then begin
    let proved =
      List.filter_map
        (fun (r : Prove.result) ->
          match r.verdict with Proved _ -> Some r.property | _ -> None)
        (Prove.policy policy).results
    in
    sequence policy ~asked:(fun promise breach past ->
        match breach with
        | None -> incr kept
        | Some _ when not (List.mem (property promise) proved) -> incr broken
        | Some _ ->
            Printf.printf
              "%s\n\
               %s is PROVED, and broken; the last events, the last first:\n\
              \  %s\n\
               DROMOS_TEST_SEED=%d\n\
               %!"
              text (Promise.name promise)
              (String.concat "\n  " (List.filteri (fun i _ -> i < 20) past))
              Watch.seed;
            exit 1)
  end

let read file = In_channel.with_open_text file In_channel.input_all

let run () =
  Array.iter
    (fun file ->
      for _ = 1 to 5 do
        compare_one (read ("in_a_row/" ^ file))
      done)
    (Sys.readdir "in_a_row");
  let until = Unix.gettimeofday () +. seconds in
  let rec go n =
    if n < most && Unix.gettimeofday () < until then begin
      compare_one
        (Random_policy.text ~idle:true Watch.chance
           ~name:(Printf.sprintf "sequence_%d" n));
      go (n + 1)
    end
    else n
  in
  let n = go 0 in
  Printf.printf "%d policies, %d promises kept, %d broken that are not proved\n"
    n !kept !broken;
  (* Without broken promises the sequences would show nothing. *)
  if !broken = 0 then exit 1

let () =
  Watch.suite "sequences" (fun () ->
      match Watch.during ~limit:(seconds +. 120.) "sequences" run with
      | () -> ()
      | exception Decide.No_prover _ ->
          print_endline "skipped: no prover is installed (z3 or cvc5)")
