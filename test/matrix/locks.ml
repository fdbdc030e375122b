open Step
open Env

type t = {
  acquire : unit Step.op;
  acquire_for : float -> unit option Step.op;
  release : unit -> unit;
  try_acquire : unit -> bool;
}

type kind = { make : unit -> t; holders : int }

(* Counts the tasks inside. The plain counter is right only if a lock with one
   holder excludes all other tasks. *)
type room = { inside : int Atomic.t; mutable plain : int }

let room () = { inside = Atomic.make 0; plain = 0 }

let enter kind room =
  let n = 1 + Atomic.fetch_and_add room.inside 1 in
  ensure (n <= kind.holders) "%d are inside, %d may" n kind.holders

let leave room = Atomic.decr room.inside

(* Stays inside for a while, with the lock held. *)
let stay kind room l =
  finally
    (fun () ->
      leave room;
      l.release ())
    (let* before =
       call (fun () ->
           enter kind room;
           room.plain)
     in
     let* () = yield in
     call (fun () -> room.plain <- before + 1))

let visit kind room l =
  let* () = wait l.acquire in
  stay kind room l

(* Checks that no task holds the lock. *)
let free kind l =
  for i = 1 to kind.holders do
    ensure (l.try_acquire ()) "taken %d times too often, or lost"
      (kind.holders - i + 1)
  done;
  ensure (not (l.try_acquire ())) "there is one more than there was";
  for _ = 1 to kind.holders do
    l.release ()
  done

let sides env = [ env.a; env.b; env.a; env.b ]

let exclusion kind env =
  let l = kind.make () and room = room () and n = rounds env 25 in
  let start i p =
    let program = repeat n (fun _ -> visit kind room l) in
    start env p (Printf.sprintf "task %d" i) program
  in
  List.iter get (List.mapi start (sides env));
  if kind.holders = 1 then
    ensure (room.plain = 4 * n) "%d visits counted %d" (4 * n) room.plain;
  free kind l

(* The holders stay until the gate is opened, and leave no permit. *)
let hold env kind l party gate after =
  let inside = Atomic.make 0 in
  let holder _ =
    start env party "holder"
      (let* () = wait l.acquire in
       let* () = call (fun () -> Atomic.incr inside) in
       let* () = wait (Gate.pass gate) in
       call (fun () ->
           l.release ();
           after ()))
  in
  let holders = List.init kind.holders holder in
  while Atomic.get inside < kind.holders do
    if Unix.gettimeofday () > env.deadline then raise (Hang "a holder");
    Thread.delay 0.0002
  done;
  holders

let hand_over kind env =
  both_ways env @@ fun holder waiter ->
  for _ = 1 to rounds env 3 do
    let l = kind.make () and gate = Gate.create () and room = room () in
    let holders = hold env kind l holder gate ignore in
    let waiting = start env waiter "waiter" (visit kind room l) in
    settle env;
    ensure (not (ended waiting)) "went in while it was held";
    Gate.open_ gate;
    get waiting;
    List.iter get holders;
    free kind l
  done

(* Waiting tasks are served in the order of arrival. *)
let fairness kind env =
  patiently @@ fun delay ->
  let l = kind.make () and gate = Gate.create () in
  let order = Account.create () in
  let holders = hold env kind l env.a gate ignore in
  let waiter i =
    queue_up env delay
      (if i land 1 = 0 then env.a else env.b)
      "waiter"
      (let* () = wait l.acquire in
       call (fun () ->
           Account.note order i;
           l.release ()))
  in
  let waiters = List.init 4 waiter in
  Gate.open_ gate;
  List.iter get waiters;
  List.iter get holders;
  if kind.holders = 1 then
    ensure
      (Account.entries order = [ 0; 1; 2; 3 ])
      "served out of order: %s"
      (Account.show (Account.entries order));
  free kind l

(* {1 Timeouts} *)

let late kind env =
  both_ways env @@ fun holder waiter ->
  let l = kind.make () and gate = Gate.create () in
  let holders = hold env kind l holder gate ignore in
  let try_for s = get (start env waiter "waiter" (wait (l.acquire_for s))) in
  ensure (try_for 0.002 = None) "taken although it was held";
  let behind =
    start env waiter "patient waiter"
      (let* got = wait (l.acquire_for 30.) in
       call (fun () ->
           if got <> None then l.release ();
           got))
  in
  settle env;
  Gate.open_ gate;
  ensure (get behind <> None) "a timeout of 30 s passed at once";
  List.iter get holders;
  free kind l

let timeout_race kind env =
  let l = kind.make () and room = room () and n = rounds env 10 in
  let task i p =
    let chance = Random.State.make [| Random.State.bits env.chance; i |] in
    let rec go left =
      if left = 0 then return ()
      else
        let* got = wait (l.acquire_for (Random.State.float chance 0.001)) in
        match got with
        | None -> go left
        | Some () ->
            let* () = stay kind room l in
            go (left - 1)
    in
    start env p "impatient" (go n)
  in
  List.iter get (List.mapi task (sides env));
  if kind.holders = 1 then
    ensure (room.plain = 4 * n) "%d visits counted %d" (4 * n) room.plain;
  free kind l

(* {1 Cancellation} *)

let cancel_waiter state kind env =
  both_ways env @@ fun holder waiter ->
  for _ = 1 to rounds env 3 do
    let l = kind.make () and gate = Gate.create () and room = room () in
    let what_then = ref ignore in
    let holders = hold env kind l holder gate (fun () -> !what_then ()) in
    let server cancel =
      what_then := cancel;
      Gate.open_ gate
    in
    let got = Atomic.make false in
    let program =
      let* () = wait l.acquire in
      call (fun () ->
          Atomic.set got true;
          l.release ())
    in
    let cancelled, _ = Victim.run env state waiter program ~server in
    ensure (cancelled || Atomic.get got) "returned without having it";
    let third = start env (either env) "third" (visit kind room l) in
    Gate.open_ gate;
    get third;
    List.iter get holders;
    free kind l
  done

let storm kind env =
  let l = kind.make () and room = room () and n = rounds env 15 in
  let task p =
    start_cancellable env p "task" (fun _ ->
        repeat n (fun _ -> visit kind room l))
  in
  let tasks = List.map task (sides env @ sides env) in
  let half = List.filteri (fun i _ -> i land 2 = 0) tasks in
  List.iter
    (fun task ->
      jitter env;
      cancel task)
    half;
  List.iter
    (fun task ->
      match join task with
      | Ok () -> ()
      | r ->
          ensure (cancelled task r && List.memq task half) "was not cancelled")
    tasks;
  free kind l

exception Boom

(* A task that fails with the lock held releases the lock on its way out. *)
let failing kind env =
  both_ways env @@ fun failing other ->
  let l = kind.make () and room = room () in
  let fails =
    let* () = wait l.acquire in
    finally l.release (call (fun () -> raise Boom))
  in
  let failing = start env failing "failing" fails in
  let other = start env other "other" (visit kind room l) in
  (match join failing with
  | Error Boom -> ()
  | Ok () -> wrong "an exception was lost"
  | Error e -> wrong "%s for Boom" (Printexc.to_string e));
  get other;
  free kind l

let scenarios kind =
  [
    ("exclusion", exclusion kind);
    ("hand-over", hand_over kind);
    ("fairness", fairness kind);
    ("waiter times out", late kind);
    ("timeouts race", timeout_race kind);
    ("storm", storm kind);
    ("holder fails", failing kind);
  ]
  @ Victim.each "waiter" (fun state -> cancel_waiter state kind)
