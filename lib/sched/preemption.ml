open Dromos_fiber
open Types

type mode = Preempt.mode = Forced | Polled

let default_quantum = 0.01
let most = Most_parked.get
let set_most = Most_parked.set
let me = Misplaced.fiber

let run ?(quantum = default_quantum) ?(mode = Forced) f =
  Dromos_service.Stack_room.ensure 2;
  if not (quantum >= 0.0005 && quantum <= 1.0) then
    invalid_arg
      (Printf.sprintf
         "Sched.Preemption.run: ~quantum:%g is not from 0.0005 to 1 seconds"
         quantum);
  let { worker = { run; _ }; _ } = me "Sched.Preemption.run" in
  let preempt = Preempt.start run ~quantum mode in
  Fun.protect f ~finally:(fun () -> Preempt.stop preempt)

let mask f = Masked.call f ()

let interruptible f =
  Preempt.interruptible (me "Sched.Preemption.interruptible") f

type counts = Preempt.counts = {
  preemptions : int;
  refused : int;
  parked : int;
  threads : int;
}

let counts () = Preempt.counts (me "Sched.Preemption.counts").worker.run
