(* A program with fibers in every state. It prints a line when a dump may be
   asked for: alone.exe sleep, where all fibers sleep, or alone.exe compute. *)

module Sched = Dromos.Sched
module Vproc = Sched.Vproc
module Channel = Dromos.Channel

let spawn name f = Vproc.enq (Sched.fiber ~name f)

(* Two schedulers, one in a queue of the other. The inner scheduler keeps
   yielding fibers. *)
let nested () =
  let inner = Sched.Ready_queue.create () in
  let kept = ref [] in
  let rec action () =
    Sched.action ~name:"inner" ~ready:(Sched.Ready_queue.add inner) (function
      | Sched.Stop -> dispatch ()
      | Preempt k ->
          kept := k :: !kept;
          dispatch ())
  and dispatch () =
    Sched.run (action ())
      (Sched.Ready_queue.take ~reason:"inner's fibers" inner)
  in
  Vproc.enq (Sched.scheduler ~name:"inner scheduler" dispatch);
  let channel : unit Channel.t = Channel.create () in
  let add name f = Sched.Ready_queue.add inner (Sched.fiber ~name f) in
  add "reader" (fun () -> Channel.recv channel);
  add "kept" Sched.yield;
  kept

let rec compute () =
  ignore (Sys.opaque_identity (List.init 10 Fun.id) : int list);
  compute ()

let () =
  Dromos.dump_on_sigquit ();
  let sleeps = Sys.argv.(1) = "sleep" in
  Dromos.run
    ~workers:(if sleeps then 1 else 2)
    (fun () ->
      Sched.Round_robin.run (fun () ->
          let kept = nested () in
          let never = Sched.fiber ~name:"never started" ignore in
          spawn "sleeper" (fun () -> Dromos.sleep 60.);
          ignore
            (Dromos.async ~name:"task" (fun () -> Dromos.sleep 60.)
              : unit Dromos.Promise.t);
          Dromos.sleep 0.1;
          print_endline "ready";
          if not sleeps then spawn "computes" compute;
          Dromos.sleep 60.;
          ignore (Sys.opaque_identity (never, kept))))
