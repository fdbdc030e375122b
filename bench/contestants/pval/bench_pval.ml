open Bench_core
module Stealing = Dromos.Sched.Stealing

(* How to be inside the scheduler, with what the copies are to be given. *)
let shipped f = Stealing.run (fun () -> f (Stealing.Ctx.get ()))

(* The context is the fiber, which the front door does not let out. *)
let stepwise f = shipped (fun _ -> f (Dromos_fiber.Fiber.current ()))
let plainly f = Stealing.run f
let tasks f = f (Dromos.Ctx.get ())

let uncancelled f =
  let module Stealing = Bench_uncancelled.Stealing in
  Stealing.run (fun () -> f (Stealing.Ctx.get ()))

let contestant ?(parallel = true) name about inside copies =
  let job ~workers fib ~n ~cutoff:_ () =
    let r = Dromos.run ~workers (fun () -> inside (fun ctx -> fib ctx n)) in
    fun () -> r
  in
  let start ~workers =
    {
      Contestant.jobs =
        Contestant.placed "sched_fib" (List.map (job ~workers) copies);
      probes = [];
      stop = ignore;
    }
  in
  { Contestant.name; about; parallel; start }

let step name about copies =
  contestant ~parallel:false name about stepwise copies

let contestants =
  [
    step "pval-1-closures" "the calls of the two parts of a pval"
      [
        Fibs_0.closures;
        Fibs_1.closures;
        Fibs_2.closures;
        Fibs_3.closures;
        Fibs_4.closures;
        Fibs_5.closures;
        Fibs_6.closures;
        Fibs_7.closures;
      ];
    step "pval-2-frame" "and a latent frame: stealable work"
      [
        Fibs_0.frame;
        Fibs_1.frame;
        Fibs_2.frame;
        Fibs_3.frame;
        Fibs_4.frame;
        Fibs_5.frame;
        Fibs_6.frame;
        Fibs_7.frame;
      ];
    step "pval-3-poll" "and a look at the signal of the run"
      [
        Fibs_0.poll;
        Fibs_1.poll;
        Fibs_2.poll;
        Fibs_3.poll;
        Fibs_4.poll;
        Fibs_5.poll;
        Fibs_6.poll;
        Fibs_7.poll;
      ];
    step "pval-4-handler" "and the handler that would cancel the body"
      [
        Fibs_0.handler;
        Fibs_1.handler;
        Fibs_2.handler;
        Fibs_3.handler;
        Fibs_4.handler;
        Fibs_5.handler;
        Fibs_6.handler;
        Fibs_7.handler;
      ];
    step "pval-cell" "pval-1-closures, and a cell for the value made at once"
      [
        Fibs_0.cell;
        Fibs_1.cell;
        Fibs_2.cell;
        Fibs_3.cell;
        Fibs_4.cell;
        Fibs_5.cell;
        Fibs_6.cell;
        Fibs_7.cell;
      ];
    step "pval-deque"
      "pval-cell, and a push and a pop on a deque: what the frame saves"
      [
        Fibs_0.deque;
        Fibs_1.deque;
        Fibs_2.deque;
        Fibs_3.deque;
        Fibs_4.deque;
        Fibs_5.deque;
        Fibs_6.deque;
        Fibs_7.deque;
      ];
    contestant "pval-ctx" "Stealing.Ctx.pval, the context passed on" shipped
      [
        Fibs_0.pval_ctx;
        Fibs_1.pval_ctx;
        Fibs_2.pval_ctx;
        Fibs_3.pval_ctx;
        Fibs_4.pval_ctx;
        Fibs_5.pval_ctx;
        Fibs_6.pval_ctx;
        Fibs_7.pval_ctx;
      ];
    contestant "pval-ctx-uncancelled" "the same, cancellation compiled out"
      uncancelled
      [
        Fibs_0.uncancelled;
        Fibs_1.uncancelled;
        Fibs_2.uncancelled;
        Fibs_3.uncancelled;
        Fibs_4.uncancelled;
        Fibs_5.uncancelled;
        Fibs_6.uncancelled;
        Fibs_7.uncancelled;
      ];
    contestant "pval" "Stealing.pval" plainly
      (List.map
         (fun fib () n -> fib n)
         [
           Fibs_0.pval;
           Fibs_1.pval;
           Fibs_2.pval;
           Fibs_3.pval;
           Fibs_4.pval;
           Fibs_5.pval;
           Fibs_6.pval;
           Fibs_7.pval;
         ]);
    contestant "both-ctx" "Dromos.Ctx.both" tasks
      [
        Fibs_0.both_ctx;
        Fibs_1.both_ctx;
        Fibs_2.both_ctx;
        Fibs_3.both_ctx;
        Fibs_4.both_ctx;
        Fibs_5.both_ctx;
        Fibs_6.both_ctx;
        Fibs_7.both_ctx;
      ];
    contestant "both" "Dromos.both"
      (fun f -> f ())
      (List.map
         (fun fib () n -> fib n)
         [
           Fibs_0.both;
           Fibs_1.both;
           Fibs_2.both;
           Fibs_3.both;
           Fibs_4.both;
           Fibs_5.both;
           Fibs_6.both;
           Fibs_7.both;
         ]);
  ]
