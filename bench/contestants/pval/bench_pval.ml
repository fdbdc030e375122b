open Bench_core
module Stealing = Dromos.Sched.Stealing

(* The ways to run inside the scheduler, with the context for the programs. *)
let shipped f = Stealing.run (fun () -> f (Stealing.Ctx.get ()))

(* The context is the fiber; the public interface does not give the fiber
   out. *)
let stepwise f = shipped (fun _ -> f (Dromos_fiber.Fiber.current ()))
let plainly f = Stealing.run f
let tasks f = f (Dromos.Ctx.get ())

let uncancelled f =
  let module Stealing = Bench_uncancelled.Stealing in
  Stealing.run (fun () -> f (Stealing.Ctx.get ()))

let contestant ?(parallel = true) name about inside fib =
  let job ~workers ~n ~cutoff:_ () =
    let r = Dromos.run ~workers (fun () -> inside (fun ctx -> fib ctx n)) in
    fun () -> r
  in
  let start ~workers =
    {
      Contestant.jobs = [ ("sched_fib", job ~workers) ];
      probes = [];
      stop = ignore;
    }
  in
  { Contestant.name; about; parallel; start }

let step name about fib = contestant ~parallel:false name about stepwise fib

let contestants =
  [
    step "pval-1-closures" "the calls of the two parts of a pval" Fibs.closures;
    step "pval-2-frame" "and a latent frame: stealable work" Fibs.frame;
    step "pval-3-poll" "and a look at the signal of the run" Fibs.poll;
    step "pval-4-handler" "and the handler that would cancel the body"
      Fibs.handler;
    step "pval-cell" "pval-1-closures, and a cell for the value made at once"
      Fibs.cell;
    step "pval-deque"
      "pval-cell, and a push and a pop on a deque: what the frame saves"
      Fibs.deque;
    contestant "pval-ctx" "Stealing.Ctx.pval, the context passed on" shipped
      Fibs.pval_ctx;
    contestant "pval-ctx-uncancelled" "the same, cancellation compiled out"
      uncancelled Fibs.uncancelled;
    contestant "pval" "Stealing.pval" plainly (fun () n -> Fibs.pval n);
    contestant "both-ctx" "Dromos.Ctx.both" tasks Fibs.both_ctx;
    contestant "both" "Dromos.both" (fun f -> f ()) (fun () n -> Fibs.both n);
  ]
