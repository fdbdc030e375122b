open Effect.Deep
module Queue = Dromos_base.Queue

exception Cancelled

let () =
  Dromos_suspend.add_cancellation (function Cancelled -> true | _ -> false)

(* What [cancel] finds. While a fiber waits the state has what resumes it; it may
   still say so when somebody has, until the fiber has its turn. [Doomed] is
   final. *)
type state = Active | Waiting of { give_up : unit -> unit } | Doomed
type handle = { id : int; state : state Atomic.t }

(* Whether [run]'s task is suspended because there is nothing to do. *)
type idle = Busy | Idle of { resume : unit Dromos_suspend.resumer }

type t = {
  ready : (unit -> unit) Queue.t;
      (* Kept in the house: lock-free, for any number of pushers, and model-
         checked here; it is what the hubs of lib/kernel use, so a program has no
         second queue library for it. *)
  idle : idle Atomic.t;
  live : (int, handle) Hashtbl.t; (* fibers not over; the run's task alone *)
  mutable failure : (exn * Printexc.raw_backtrace) option; (* the same *)
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

   The run, before it sleeps, writes [idle] and then looks at the queue once
   more; who makes a fiber ready pushes it and then looks at [idle]. So one of
   them sees the other. *)

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
      else None (* somebody has taken [resume], and calls it *))

(* {1 Fibers} *)

let no_backtrace = Printexc.get_callstack 0

let fail t e bt =
  if Option.is_none t.failure then t.failure <- Some (e, bt);
  Hashtbl.iter (fun _ fiber -> cancel fiber) t.live

(* [block] is applied on the scheduler's stack, in the run's task, which alone
   runs fibers: whatever the resumer does meanwhile, from wherever, the fiber
   does not run before we are through here. Until [block] has said that the fiber
   waits, [cancel] finds it [Active] and only leaves a note: if [block] has a
   value, the fiber gets it. A shielded wait stays [Active] to its end. *)
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
      (* Against the contract; but nobody shall wait for ever. *)
      ignore (resumer (Error (e, Printexc.get_raw_backtrace ())))

let new_fiber () =
  { id = Dromos_suspend.fresh_id (); state = Atomic.make Active }

(* Runs a new fiber until it first gives way. *)
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

(* Until all fibers are over. After a failure all are doomed, so none of them
   waits for long any more; then a [sleep] that raises again, because the
   surrounding task is cancelled, comes at most a moment before the last of them
   is made ready by who was about to resume it. *)
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
