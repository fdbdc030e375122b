module Signals = Dromos_service.Signals

type runtime = {
  cancel : unit -> unit;
  over : unit -> bool;
  inside : unit -> bool;
}

let lock = Mutex.create ()
let alive = Atomic.make [] (* changed with [lock] held *)
let patience = 0.5

(* Polls: a signal handler may call [exit] too, and must not wait in a structure. *)
let rec wait_for runtimes deadline =
  let ends { over; inside; _ } = over () || inside () in
  if (not (List.for_all ends runtimes)) && Unix.gettimeofday () < deadline then begin
    Thread.delay 0.001;
    wait_for runtimes deadline
  end

let at_exit () =
  let runtimes = Atomic.get alive in
  List.iter (fun { cancel; _ } -> cancel ()) runtimes;
  wait_for runtimes (Unix.gettimeofday () +. patience)

(* Installed with the first runtime; programs without a runtime have no hook. *)
let hook = lazy (Stdlib.at_exit at_exit)

let add runtime =
  Signals.protect lock (fun () ->
      Lazy.force hook;
      let lives { over; _ } = not (over ()) in
      Atomic.set alive (runtime :: List.filter lives (Atomic.get alive)))
