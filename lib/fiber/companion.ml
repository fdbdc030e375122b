open Types
module Pool = Dromos_kernel.Pool
module Signals = Dromos_service.Signals

type t = {
  local : Types.local;
  mutable thread : Thread.t option;
  asked : bool Atomic.t;
  stopping : bool Atomic.t;
  wake_in : Unix.file_descr;
  wake_out : Unix.file_descr;
  pid : int;
  alive : Mutex.t; (* guards the nudge and the pipe against [stop] *)
  mutable domain : Nudge.domain; (* [none] once stopped *)
}

(* {1 On the companion's thread} *)

(* No poll point lies between the reads of [fiber] and [top]. If the fiber goes
   on during the search, [mark ~still] finds a new [top] and marks nothing: a
   fiber that forks looks at the signal itself. *)
let[@inline never] marked local =
  let fiber = local.current in
  let top = fiber.frames.top in
  if fiber == Fiber.nobody then []
  else Promotion.offers ~still:(local, top) fiber

(* A fiber that leaves its heap waits while this thread's stack has frames. The
   offers, which may wait, run after the stack has dropped the frames. *)
let publish_oldest local =
  local.reads_frames <- true;
  let offers =
    Fun.protect
      (fun () -> marked local)
      ~finally:(fun () -> local.reads_frames <- false)
  in
  List.iter (fun offer -> offer ()) offers

(* Moves a task from a private deque to where every worker finds the task;
   without help, only the deque's worker can move a task. A request moves a
   single task: a worker that wants more asks again. *)
let publish_task { run = { pool; _ }; id; inbox; _ } =
  match (Pool.hub pool).pop id with
  | None -> ()
  | Some task ->
      (* A task for this worker alone counts in [inbox] before the hub has the
         task. If [inbox] is positive, the popped task may be such a task. *)
      if Atomic.get inbox = 0 then ignore (Pool.submit pool New task : bool)
      else ignore (Pool.submit_to pool id New task : bool)

let publish_tasks local =
  match local.serving with
  | Some worker
    when worker.run.deques = Private
         && worker.local == local
         && Atomic.get worker.inbox = 0 ->
      Hub_door.visit local (fun () -> publish_task worker)
  | Some _ | None -> ()

let byte = Bytes.make 1 '!'

let drain t =
  match Unix.read t.wake_out (Bytes.create 64) 0 64 with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EINTR), _, _) -> ()

(* [select] cannot take a descriptor that is too large; the companion then
   sleeps for a plain delay. Requests are answered late in this case, and never
   lost. *)
let sleep t every =
  match Unix.select [ t.wake_out ] [] [] every with
  | [], _, _ -> false
  | _ ->
      drain t;
      true
  | exception Unix.Unix_error (EINTR, _, _) -> true
  | exception Unix.Unix_error (EINVAL, _, _) ->
      Thread.delay 0.01;
      Atomic.get t.asked

(* Passes a poll point on purpose. A nudge may have come after the nudge that
   gave this thread the runtime lock. The later nudge would make the companion
   give way in the middle of its work, and wait for the next tick. The companion
   therefore gives way before it takes up the request, while the asker still
   insists. *)
let poll () = ignore (Sys.opaque_identity (ref 0))

let rec live t every check =
  let woken = sleep t (every ()) in
  poll ();
  if not (Atomic.get t.stopping) then begin
    if Atomic.exchange t.asked false then begin
      publish_oldest t.local;
      publish_tasks t.local
    end
    else if not woken then check ();
    live t every check
  end

(* {1 On other threads} *)

let with_alive t f =
  Signals.protect t.alive (fun () -> if t.domain <> Nudge.none then f ())

let write t =
  match Unix.write t.wake_in byte 0 1 with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EINTR | EPIPE), _, _) -> ()

let nudges = 8
let pause = 20e-6 (* seconds; with the kernel's timer slack, about 80 us *)

(* The companion wakes up some microseconds after the write, and only then waits
   for the runtime lock; an earlier nudge has no effect. The asker, which has no
   other work, therefore nudges repeatedly until the companion takes up the
   request, and sleeps in between, since the companion may need the asker's
   core. After [nudges] attempts the asker gives up; the systhread tick does the
   rest. *)
let ask t () =
  if not (Atomic.exchange t.asked true) then begin
    with_alive t (fun () -> write t);
    let rec insist n =
      if Atomic.get t.asked && n > 0 then begin
        Unix.sleepf pause;
        with_alive t (fun () -> Nudge.nudge t.domain);
        insist (n - 1)
      end
    in
    insist nudges
  end

let start local ~every check =
  let wake_out, wake_in = Unix.pipe ~cloexec:true () in
  Unix.set_nonblock wake_out;
  Unix.set_nonblock wake_in;
  let t =
    {
      local;
      thread = None;
      asked = Atomic.make false;
      stopping = Atomic.make false;
      wake_in;
      wake_out;
      pid = Unix.getpid ();
      alive = Mutex.create ();
      domain = Nudge.self ();
    }
  in
  (match Signals.making (Thread.create (fun () -> live t every check)) with
  | thread -> t.thread <- Some thread
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Unix.close wake_in;
      Unix.close wake_out;
      Printexc.raise_with_backtrace e bt);
  local.ask <- ask t;
  t

let set_watch t watch = t.local.watch <- watch
let poke t = with_alive t (fun () -> write t)
let lives t = Unix.getpid () = t.pid

let stop t =
  t.local.ask <- ignore;
  t.local.watch <- ignore;
  Atomic.set t.stopping true;
  let lives = lives t in
  with_alive t (fun () ->
      if lives then write t;
      t.domain <- Nudge.none);
  if lives then Option.iter Thread.join t.thread;
  Unix.close t.wake_in;
  Unix.close t.wake_out
