open Dromos_sync
open Step
open Env

let force l = op (Lazy.force_event l) ~direct:(fun () -> Lazy.force l)
let sides env = [ env.a; env.b; env.a; env.b ]
let forcing env l p = start env p "forcing" (wait (force l))

(* All tasks force at once: the value is computed once. *)
let together env =
  for i = 1 to rounds env 5 do
    let computed = Atomic.make 0 in
    let l =
      Lazy.from_fun (fun () ->
          Atomic.incr computed;
          i)
    in
    let tasks = List.map (forcing env l) (sides env) in
    List.iter (fun task -> ensure (get task = i) "another value") tasks;
    let n = Atomic.get computed in
    ensure (n = 1) "computed %d times" n
  done

exception Boom of int

let failing env =
  for i = 1 to rounds env 3 do
    let computed = Atomic.make 0 in
    let l =
      Lazy.from_fun (fun () ->
          Atomic.incr computed;
          raise (Boom i))
    in
    let tasks = List.map (forcing env l) (sides env) in
    List.iter
      (fun task ->
        match join task with
        | Error (Boom n) when n = i -> ()
        | Error e -> wrong "%s for Boom %d" (Printexc.to_string e) i
        | Ok () -> wrong "an exception was lost")
      tasks;
    ensure (Atomic.get computed = 1) "computed %d times" (Atomic.get computed)
  done

let recursive env =
  both_ways env @@ fun p _ ->
  (* The computation forces its own value: [self] is set before the force. *)
  let self = ref (Lazy.from_val 0) in
  let l = Lazy.from_fun (fun () -> 1 + Lazy.force !self) in
  self := l;
  match join (forcing env l p) with
  | Error Stdlib.Lazy.Undefined -> ()
  | Error e -> wrong "%s for Lazy.Undefined" (Printexc.to_string e)
  | Ok n -> wrong "%d came of itself" n

(* A value whose computation waits at a gate; the computing task uses direct
   style. [inside] counts the computations begun. *)
type slow = { l : int Lazy.t; gate : Gate.t; inside : int Atomic.t }

let slow () =
  let gate = Gate.create () and inside = Atomic.make 0 in
  let compute () =
    Atomic.incr inside;
    Event.sync ((Gate.pass gate).event ());
    42
  in
  { l = Lazy.from_fun compute; gate; inside }

let began env s n =
  while Atomic.get s.inside < n do
    if Unix.gettimeofday () > env.deadline then
      raise (Hang "the computation has not begun; the task");
    Thread.delay 0.0002
  done

(* The computing party can use direct style; both parties wait. *)
let with_slow env f =
  both_ways env @@ fun computing waiting ->
  if computing.direct then f computing waiting (slow ())

let compute env s p = start env p "computing" (wait (force s.l))

let wait_for_it env =
  with_slow env @@ fun computing waiting s ->
  let first = compute env s computing in
  began env s 1;
  let late = start env waiting "late" (wait (within 0.002 (force s.l))) in
  ensure (get late = None) "came before it was computed";
  let others = List.map (forcing env s.l) (sides env) in
  settle env;
  List.iter (fun t -> ensure (not (ended t)) "did not wait") others;
  Gate.open_ s.gate;
  List.iter (fun t -> ensure (get t = 42) "another value") (first :: others);
  ensure (Atomic.get s.inside = 1) "computed twice"

let cancel_waiter state env =
  with_slow env @@ fun computing waiting s ->
  let first = compute env s computing in
  began env s 1;
  let got = Atomic.make false in
  let program =
    let* v = wait (force s.l) in
    call (fun () ->
        ensure (v = 42) "another value";
        Atomic.set got true)
  in
  let server cancel =
    Gate.open_ s.gate;
    cancel ()
  in
  let cancelled, _ = Victim.run env state waiting program ~server in
  ensure (cancelled || Atomic.get got) "returned without a value";
  let third = forcing env s.l (either env) in
  Gate.open_ s.gate;
  ensure (get first = 42 && get third = 42) "another value";
  ensure (Atomic.get s.inside = 1) "computed twice"

(* Cancelled during the computation: another task begins again. *)
let cancel_computing env =
  with_slow env @@ fun computing waiting s ->
  if computing.cancellable && waiting.direct then begin
    let first =
      start_cancellable_plain env computing "computing" (fun _ ->
          plain (fun () -> Lazy.force s.l))
    in
    began env s 1;
    let others =
      List.map
        (fun p -> start env p "forcing" (plain (fun () -> Lazy.force s.l)))
        [ waiting; waiting ]
    in
    settle env;
    cancel first;
    ensure (cancelled first (join first)) "was not cancelled";
    began env s 2;
    Gate.open_ s.gate;
    List.iter (fun task -> ensure (get task = 42) "another value") others;
    ensure (Atomic.get s.inside = 2) "computed %d times" (Atomic.get s.inside)
  end

let scenarios =
  [
    ("together", together);
    ("failure", failing);
    ("recursion", recursive);
    ("waiting for it", wait_for_it);
    ("computing task cancelled", cancel_computing);
  ]
  @ Victim.each "waiter" cancel_waiter
