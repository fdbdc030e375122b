type t = Shared_queue.t

(* All fibers have the same rank: first come, first served. *)
let add t k = Shared_queue.add t ~rank:0 k

(* The vproc calls the action when the fiber has stopped running. A fiber that
   yields goes into the queue before its place is given back: if the queue is
   empty, the fiber itself goes on. *)
let rec action t () =
  Core.action ~name:"bounded" ~ready:(add t) (function
    | Stop ->
        Shared_queue.leave t;
        next t
    | Preempt k ->
        add t k;
        Shared_queue.leave t;
        Core.atomic_yield ();
        next t)

and next t = Shared_queue.run_next t (action t)

let run ?vprocs ?under ~at_most f =
  Saturating.positive ~call:"Sched.Bounded.run" "at_most" at_most;
  let t = Shared_queue.create ~places:at_most () in
  Shared_queue.attach ~name:"bounded" ?vprocs ?under ~give:(add t) t
    (fun () -> next t)
    (fun () -> f t)

let give t k =
  Shared_queue.check_fiber ~call:"Bounded.give" t k;
  add t k

let spawn t ?name f =
  Shared_queue.check ~call:"Bounded.spawn" t;
  add t (Core.fiber ?name f)

let waiting = Shared_queue.length
