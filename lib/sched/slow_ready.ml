open Dromos_fiber
module External = Dromos_suspend.External
module Host = Dromos_service.Host
module Signals = Dromos_service.Signals

let limit = 1_000_000 (* ns *)
let slow : string list Atomic.t = Atomic.make []

let rec note name =
  let names = Atomic.get slow in
  if not (Atomic.compare_and_set slow names (name :: names)) then note name

let is_slow name =
  match Atomic.get slow with [] -> false | names -> List.mem name names

(* {1 The thread} *)

let lock = Mutex.create ()
let wanted = Condition.create ()

(* [calls] and [started] need [lock]. *)
let calls : (unit -> unit) Queue.t = Queue.create ()
let started = ref false

let next () =
  Signals.protect lock (fun () ->
      while Queue.is_empty calls do
        Condition.wait wanted lock
      done;
      Queue.pop calls)

let rec serve () =
  next () ();
  External.decr ();
  serve ()

let hand_over call =
  External.incr ();
  Signals.protect lock (fun () ->
      Queue.push call calls;
      if !started then Condition.signal wanted
      else begin
        started := true;
        Host.thread serve
      end)

(* {1 Calls} *)

let measured name give fiber =
  let begun = Ticks.clock () in
  give fiber;
  if Ticks.clock () - begun > limit && not (is_slow name) then note name

let call ~name give fiber =
  if not (Host.on_thread_for_all ()) then give fiber
  else if is_slow name then hand_over (fun () -> give fiber)
  else measured name give fiber
