open Effect.Deep
module Queue = Dromos_base.Queue

exception Cancelled

let () =
  Dromos_suspend.add_cancellation (function Cancelled -> true | _ -> false)

(* The state of a fiber, as [cancel] sees it:

     Active --wait--> Waiting --the resumed fiber has its turn--> Active
     Active, Waiting --cancel--> Doomed

   [give_up] resumes a waiting fiber with [Cancelled]. Between the resumption and
   the fiber's turn the state is still [Waiting]. *)
type state = Active | Waiting of { give_up : unit -> unit } | Doomed
type handle = { id : int; state : state Atomic.t }

(* [Idle] while the task of [run] is suspended for lack of runnable fibers. *)
type idle = Busy | Idle of { resume : unit Dromos_suspend.resumer }

type t = {
  ready : (unit -> unit) Queue.t;
      (* Dromos's own queue: lock-free, for any number of pushers, model-checked.
         The hubs of lib/kernel use the same queue, so a program does not link a
         second queue library. *)
  idle : idle Atomic.t;
  live : (int, handle) Hashtbl.t; (* fibers not over; only for the run's task *)
  mutable failure : (exn * Printexc.raw_backtrace) option;
      (* the first exception; only for the run's task *)
}

type _ Effect.t += Fork : (unit -> unit) -> handle Effect.t
type _ Effect.t += Yield : unit Effect.t

let is_doomed fiber =
  match Atomic.get fiber.state with
  | Doomed -> true
  | Active | Waiting _ -> false

let cancel fiber =
  match Atomic.exchange fiber.state Doomed with
  | Waiting { give_up } -> give_up ()
  | Active | Doomed -> ()

(* {1 Waking the run}

   Before sleeping, the run writes [idle] and then reads the queue once more. A
   thread that makes a fiber ready pushes the fiber and then reads [idle]. At least
   one of the two therefore sees the other's write. *)

let enqueue t task =
  Queue.push t.ready task;
  match Atomic.get t.idle with
  | Busy -> ()
  | Idle { resume } as idle ->
      if Atomic.compare_and_set t.idle idle Busy then ignore (resume (Ok ()))

let sleep t =
  Dromos_suspend.suspend ~reason:"Fifo.run" (fun resume ->
      let idle = Idle { resume } in
      Atomic.set t.idle idle;
      if Queue.is_empty t.ready then None
      else if Atomic.compare_and_set t.idle idle Busy then Some ()
      else None (* another thread has taken [resume], and calls it *))

(* {1 Fibers} *)

let no_backtrace = Printexc.get_callstack 0

let fail t e bt =
  if Option.is_none t.failure then t.failure <- Some (e, bt);
  Hashtbl.iter (fun _ fiber -> cancel fiber) t.live

(* Suspends a fiber. [block] runs on the scheduler's stack, in the run's task, and
   only the run's task runs fibers: even if the resumer is called meanwhile, the
   fiber does not run before [suspend] returns. Until [block] has returned [None],
   the fiber is [Active], and [cancel] only writes [Doomed]: if [block] returns a
   value, the fiber gets the value. A shielded wait stays [Active] to its end. *)
let suspend ?(shielded = false) t fiber block k =
  let back = Dromos_suspend.Carried.save () in
  let resumed = Atomic.make false in
  let resumer result =
    let first = Atomic.compare_and_set resumed false true in
    if first then
      enqueue t (fun () ->
          (match Atomic.get fiber.state with
          | Waiting _ as waiting ->
              ignore (Atomic.compare_and_set fiber.state waiting Active)
          | Active | Doomed -> ());
          back ();
          match result with
          | Ok v -> continue k v
          | Error (e, bt) -> discontinue_with_backtrace k e bt);
    first
  in
  let give_up () = ignore (resumer (Error (Cancelled, no_backtrace))) in
  match block resumer with
  | Some v -> continue k v
  | None when shielded -> ()
  | None ->
      if not (Atomic.compare_and_set fiber.state Active (Waiting { give_up }))
      then give_up ()
  | exception e ->
      (* [block] must not raise. If it raises nevertheless, the fiber gets the
         exception, instead of waiting for ever. *)
      ignore (resumer (Error (e, Printexc.get_raw_backtrace ())))

let new_fiber () =
  { id = Dromos_suspend.fresh_id (); state = Atomic.make Active }

(* Runs a new fiber until the fiber ends, yields, forks or waits. *)
let rec start t fiber f =
  Hashtbl.add t.live fiber.id fiber;
  let over () = Hashtbl.remove t.live fiber.id in
  let effc (type a) : a Effect.t -> ((a, unit) continuation -> unit) option =
    function
    | Dromos_suspend.Self -> Some (fun k -> continue k fiber.id)
    | Dromos_suspend.Shielded block ->
        Some (suspend ~shielded:true t fiber block)
    | (Dromos_suspend.Suspend _ | Fork _ | Yield) when is_doomed fiber ->
        Some (fun k -> discontinue k Cancelled)
    | Dromos_suspend.Suspend block -> Some (suspend t fiber block)
    | Yield ->
        Some
          (fun k ->
            let back = Dromos_suspend.Carried.save () in
            enqueue t (fun () ->
                back ();
                if is_doomed fiber then discontinue k Cancelled
                else continue k ()))
    | Fork f ->
        Some
          (fun k ->
            let child = new_fiber () in
            let back = Dromos_suspend.Carried.save () in
            enqueue t (fun () ->
                back ();
                continue k child);
            start t child f)
    | _ -> None
  in
  let retc () = over () in
  let exnc e =
    let bt = Printexc.get_raw_backtrace () in
    over ();
    match e with Cancelled when is_doomed fiber -> () | e -> fail t e bt
  in
  match_with f () { retc; exnc; effc }

(* {1 The door} *)

(* Runs fibers until all are over. After a failure all fibers are doomed, so no
   fiber waits for long. If the surrounding task is cancelled, [sleep] raises again
   and again, but only for a moment: until the threads that are about to resume the
   last fibers have made them ready. *)
let rec loop t =
  match Queue.pop t.ready with
  | Some task ->
      task ();
      loop t
  | None when Hashtbl.length t.live = 0 -> ()
  | None ->
      (match sleep t with
      | () -> ()
      | exception e ->
          fail t e (Printexc.get_raw_backtrace ());
          Domain.cpu_relax ());
      loop t

let run main =
  let t =
    {
      ready = Queue.create ();
      idle = Atomic.make Busy;
      live = Hashtbl.create 16;
      failure = None;
    }
  in
  let result = ref None in
  let back = Dromos_suspend.Carried.save () in
  start t (new_fiber ()) (fun () -> result := Some (main ()));
  loop t;
  back ();
  match (t.failure, !result) with
  | Some (e, bt), _ -> Printexc.raise_with_backtrace e bt
  | None, Some v -> v
  | None, None -> raise Cancelled (* only a failure cancels [main] *)

let outside call =
  invalid_arg
    (Printf.sprintf
       "Fifo.%s: not in a fiber of Fifo.run. A task of another scheduler, a \
        domain or a thread that a fiber started is not one either."
       call)

let fork f =
  match Effect.perform (Fork f) with
  | fiber -> fiber
  | exception Effect.Unhandled (Fork _) -> outside "fork"

let yield () =
  match Effect.perform Yield with
  | () -> ()
  | exception Effect.Unhandled Yield -> outside "yield"
