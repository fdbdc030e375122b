(* Puts faults into the translation, and a race into a source. Random schedules
   must find each fault, so the schedules would probably find other faults
   too. *)

open Dromos_translate
open Heaplang
open Differential
open Scenarios

(* {1 Faults in the kernel} *)

(* The program with definition [name] changed. [change e] is the replacement of
   the expression [e], or [None]. *)
let replaced name change =
  match Dromos_interpreter.Machine.find Setup.program name with
  | None -> Alcotest.failf "there is no %s" name
  | Some d ->
      let count = ref 0 in
      let rec visit e =
        match change e with
        | Some changed ->
            incr count;
            changed
        | None -> map_parts visit e
      in
      let body = visit d.body in
      if !count = 0 then Alcotest.failf "nothing to change in %s" name;
      Dromos_interpreter.Machine.extend Setup.program [ { d with body } ]

let always_true e = match e with Cas _ -> Some (Lit (Bool true)) | _ -> None

(* Replaces a compare-and-set by a store, as if no other thread could have
   written in between. *)
let blind_store e =
  match e with
  | Cas (a, _, v) | Snd (Resolve (Cmp_xchg (a, _, v), _, _)) ->
      Some (seq (Store (a, v)) (Lit (Bool true)))
  | _ -> None

(* Removes the mask that keeps indices within bounds. *)
let unmasked e = match e with Op (And, i, _) -> Some i | _ -> None

(* Takes worker 0's record in place of the worker's own. *)
let first_local e =
  match e with
  | App (Global "array_get", [ locals; _ ]) ->
      Some (global "array_get" [ locals; int 0 ])
  | _ -> None

let unlocked e =
  match e with
  | App (Global ("mutex_lock" | "mutex_unlock"), _) -> Some unit
  | _ -> None

(* A run must fail, and [expected] must accept the failure. *)
let discovered name program scenario expected =
  let check () =
    match Runs.first_failure program scenario 3000 with
    | None -> Alcotest.fail "not found in 3000 runs"
    | Some (_, what) -> Alcotest.(check bool) what true (expected what)
  in
  Watch.case name check

let is_race what = List.mem what [ "stuck: na_load"; "stuck: na_store" ]
let is_about_items what = not (String.starts_with ~prefix:"stuck" what)

let kernel =
  [
    discovered "the last item is not contended"
      (replaced "deque_bounded_pop" blind_store)
      (deque "bounded" ~capacity:4)
      is_about_items;
    (* Two winners take the same value, or race for the value. *)
    discovered "a popper moves the head blindly"
      (replaced "base_queue_pop" blind_store) queue (fun what ->
        is_about_items what || is_race what);
    discovered "an item is handed to one that has withdrawn"
      (replaced "deque_private_hand_over" always_true)
      (ws "private") is_about_items;
    discovered "an index is not masked" (replaced "deque_slots_get" unmasked)
      (deque "bounded" ~capacity:4) (fun what -> what = "stuck: array_get");
  ]

(* {1 A race in a source} *)

let source =
  {|type t = { mutex : Mutex.t; mutable count : int }

let create () =
  let mutex = Mutex.create () in
  { mutex; count = 0 }

let add t =
  Mutex.lock t.mutex;
  t.count <- t.count + 1;
  Mutex.unlock t.mutex

let two () =
  let t = create () in
  let other = Domain.spawn (fun () -> add t) in
  add t;
  Domain.join other;
  t.count|}

let counter =
  match Program.translate_text "counter.ml" source with
  | Error message -> failwith message
  | Ok files ->
      let definitions =
        List.concat_map (fun (_, _, file) -> Toplevel.definitions file) files
      in
      Dromos_interpreter.Machine.extend Setup.program definitions

let without_lock =
  let name = "example_counter_add" in
  match Dromos_interpreter.Machine.find counter name with
  | None -> failwith name
  | Some d ->
      let rec visit e =
        match unlocked e with Some e -> e | None -> map_parts visit e
      in
      Dromos_interpreter.Machine.extend counter
        [ { d with body = visit d.body } ]

let two machine =
  let result = ref None in
  let main () =
    let v =
      Dromos_interpreter.Machine.call machine "example_counter_two"
        [ Setup.unit ]
    in
    result := Some (Setup.to_int v)
  in
  ([ main ], fun () -> require "it counts to two" (!result = Some 2))

(* The final check is left out: the check could find the lost update before a
   schedule shows the race. *)
let two_uncounted machine = (fst (two machine), ignore)

let no_fault () =
  match Runs.first_failure counter two 1000 with
  | None -> ()
  | Some (_, what) -> Alcotest.fail what

let () =
  Watch.suite "faults" @@ fun () ->
  Alcotest.run "faults"
    [
      ("kernel", kernel);
      ( "races",
        [
          discovered "workers share a record"
            (replaced "hub_central_fair" first_local)
            (hub "std") is_race;
          discovered "a counter without its lock" without_lock two_uncounted
            is_race;
          Watch.case "none with it" no_fault;
        ] );
    ]
