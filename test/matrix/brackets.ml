open Dromos_sync
open Step
open Env

type t = { use : 'a. ?timeout:float -> (unit -> 'a) -> 'a; over : unit -> unit }
type kind = { make : unit -> t; holders : int }

let sides env = [ env.a; env.b; env.a; env.b ]

(* Enters, and waits inside for another task's answer. *)
let visit kind inside (t : t) =
  plain (fun () ->
      t.use (fun () ->
          let n = 1 + Atomic.fetch_and_add inside 1 in
          Fun.protect
            ~finally:(fun () -> Atomic.decr inside)
            (fun () ->
              ensure (n <= kind.holders) "%d are inside, %d may" n kind.holders;
              Event.sync (Event.timeout 0.0001))))

let exclusion kind env =
  let t = kind.make () and inside = Atomic.make 0 in
  let n = rounds env 10 in
  let start p = start env p "task" (repeat n (fun _ -> visit kind inside t)) in
  List.iter get (List.map start (sides env));
  t.over ()

(* Tasks that stay inside until the gate is opened. *)
let hold env kind (t : t) party gate =
  let inside = Latch.create kind.holders in
  let holder _ =
    start env party "holder"
      (plain (fun () ->
           t.use (fun () ->
               Latch.count_down inside;
               Ivar.read gate)))
  in
  let holders = List.init kind.holders holder in
  (match Latch.wait ~timeout:(env.deadline -. Unix.gettimeofday ()) inside with
  | () -> ()
  | exception Event.Timeout -> raise (Hang "a holder"));
  holders

let hand_over kind env =
  both_ways env @@ fun holder waiter ->
  let t = kind.make () and gate = Ivar.create () and inside = Atomic.make 0 in
  let holders = hold env kind t holder gate in
  let waiting = start env waiter "waiter" (visit kind inside t) in
  let late =
    start env waiter "late"
      (plain (fun () ->
           match t.use ~timeout:0.002 ignore with
           | () -> false
           | exception Event.Timeout -> true))
  in
  ensure (get late) "went in while it was held";
  ensure (not (ended waiting)) "went in while it was held";
  Ivar.fill gate ();
  get waiting;
  List.iter get holders;
  t.over ()

let cancel_waiter state kind env =
  both_ways env @@ fun holder waiter ->
  if waiter.cancellable then
    for _ = 1 to rounds env 3 do
      let t = kind.make () and gate = Ivar.create () in
      let inside = Atomic.make 0 and got = Atomic.make false in
      let holders = hold env kind t holder gate in
      let program = plain (fun () -> t.use (fun () -> Atomic.set got true)) in
      let server cancel =
        Ivar.fill gate ();
        List.iter get holders;
        cancel ()
      in
      let cancelled, _ =
        Victim.run ~plain:true env state waiter program ~server
      in
      ensure (cancelled || Atomic.get got) "returned without having it";
      let third = start env (either env) "third" (visit kind inside t) in
      ignore (Ivar.try_fill gate () : bool);
      get third;
      List.iter get holders;
      t.over ()
    done

let storm kind env =
  let t = kind.make () and inside = Atomic.make 0 and n = rounds env 10 in
  let task p =
    start_cancellable_plain env p "task" (fun _ ->
        repeat n (fun _ -> visit kind inside t))
  in
  let tasks = List.map task (sides env @ sides env) in
  List.iteri
    (fun i task ->
      jitter env;
      if i land 1 = 0 then cancel task)
    tasks;
  List.iter
    (fun task ->
      match join task with
      | Ok () -> ()
      | r -> ensure (cancelled task r) "was not cancelled")
    tasks;
  t.over ()

exception Boom

let failing kind env =
  both_ways env @@ fun failing other ->
  let t = kind.make () and inside = Atomic.make 0 in
  let fails = plain (fun () -> t.use (fun () -> raise Boom)) in
  let failing = start env failing "failing" fails in
  let other = start env other "other" (visit kind inside t) in
  (match join failing with
  | Error Boom -> ()
  | Ok () -> wrong "an exception was lost"
  | Error e -> wrong "%s for Boom" (Printexc.to_string e));
  get other;
  t.over ()

let scenarios kind =
  [
    ("exclusion", exclusion kind);
    ("hand-over", hand_over kind);
    ("storm", storm kind);
    ("function fails", failing kind);
  ]
  @ Victim.each "waiter" (fun state -> cancel_waiter state kind)
