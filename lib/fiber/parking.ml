open Types
module Pool = Dromos_kernel.Pool
module Signals = Dromos_service.Signals

(* A [Domain_local_await] wait serves a single release. If a wait ends because
   of a signal, another wait follows. Either [unpark] releases the new wait, or
   the thread finds [over] set.

   A scheduler often answers [Domain_local_await] for its whole domain, and the
   answer performs an effect of the scheduler. A thread of the domain that runs
   none of the scheduler's tasks finds the effect unhandled, and blocks by
   itself. *)
let foreign_parker () : Dromos_suspend.parker =
  let prepare = Domain_local_await.prepare_for_await in
  let now = Atomic.make (prepare ()) and over = Atomic.make false in
  let release () = (Atomic.get now).release () in
  let rec wait prepare =
    match (Atomic.get now).await () with
    | () -> again prepare
    | exception Effect.Unhandled _ -> again Local_await.in_thread
  and again prepare =
    if not (Atomic.get over) then begin
      Atomic.set now (prepare ());
      if not (Atomic.get over) then wait prepare
    end
  in
  let wait () = wait prepare in
  {
    park = (fun () -> Poked.during ~poke:release wait);
    unpark =
      (fun () ->
        Atomic.set over true;
        release ());
  }

(* Runs [wait], which blocks, while a fresh thread of this domain serves as
   [worker]. *)
let with_spare local worker wait =
  let fiber = local.current in
  let back = Atomic.make false in
  let until () = Atomic.get back in
  Promotion.all fiber;
  Waiting.suspends fiber;
  Hub_door.close local;
  (* The spare begins without actions; these actions go on when this thread
     does. *)
  let actions_back = Actions.set_aside worker in
  let spare =
    Signals.making
      (Thread.create (fun () ->
           Signals.serving worker.run.mask (fun () ->
               Crew.serve_once worker ~until)))
  in
  Fun.protect wait ~finally:(fun () ->
      Atomic.set back true;
      Pool.wake worker.run.pool worker.id;
      Thread.join spare;
      Worker.acts worker local;
      actions_back ();
      Waiting.goes_on fiber;
      Hub_door.open_ local)

let worker_parker local worker : Dromos_suspend.parker =
  let { Dromos_suspend.park; unpark } = Dromos_suspend.thread_parker () in
  { park = (fun () -> with_spare local worker park); unpark }

let refuse () =
  raise
    (Misplaced.Misplaced
       (Printf.sprintf
          "A finaliser or a callback called a function that waits (%s) on a \
           thread of Dromos's that the whole process needs, as that of the \
           timers; it must not wait"
          (Dromos_suspend.reason ())))

let parker () =
  if Dromos_service.Host.on_thread_for_all () then refuse ();
  match Local.find () with
  | Some ({ serving = Some worker; _ } as local)
    when local.current != Fiber.nobody ->
      worker_parker local worker
  | Some _ | None -> foreign_parker ()

let install () = Dromos_suspend.set_parker parker
