(** Speculation: tries several ways to an answer at once, and takes the first
    answer.

    {[
      # open Dromos.Sched;;
      # let root_of f =
          let rec from x step tries () =
            if tries = 0 then None
            else if Float.abs (f x) < 1e-3 then Some x
            else from (x +. step) step (tries - 1) ()
          in
          Speculate.por (from 0. 0.001 1_000_000) (from 0. (-0.001) 1_000_000);;
      val root_of : (float -> float) -> float option = <fun>
      # Dromos.run (fun () -> Stealing.run (fun () ->
          match root_of (fun x -> x +. 2.) with
          | Some x -> Float.round x
          | None -> 0.));;
      - : float = -2.
    ]}

    Osborne's requirements, as the paper lists them (Manticore, section 6.4):
    + the functions are evaluated in parallel: the caller evaluates the first
      function, and the next functions begin as soon as a worker is idle or the
      function before waits, like the bodies of {!Stealing.pval}; while no
      worker is idle, a [por] costs no more than a [pval];
    + the first [Some] is the result;
    + the result is [None] if all functions return [None];
    + after a [Some], the remaining functions and all their forks are cancelled
      {e synchronously}: they have stopped when the call returns. A function
      that computes without a cancellation point (a fork, a wait,
      [Dromos.check]) is waited for;
    + functions to the left go first when workers are few: a single worker
      evaluates from left to right, and stops at the first [Some].

    {b Exceptions} are as in evaluation from left to right: the exception of a
    function is raised if all functions to its left return [None], and the
    functions to its right are then cancelled. A [Some] that another function
    returned earlier takes the place of the exception.

    Works under any scheduler; nests, to any depth. Outside a run, evaluates
    from left to right.

    Source: Osborne, {e Speculative computation in Multilisp} (1990). *)

val por : (unit -> 'a option) -> (unit -> 'a option) -> 'a option

val first : (unit -> 'a option) list -> 'a option
(** A [por] of all functions. A function that has run for 10 ms without leaving
    its vproc gives way at its next cancellation point, as under
    {!Preemption.run} in [Polled] mode. The mode is on for the run until the
    outermost [first] returns: all functions begin, even if more functions to
    the left compute without end than there are vprocs. The clock costs an
    outermost [first] about a microsecond, and costs its functions nothing.

    For jobs that wait, each in a fiber, see [Dromos.first]: it starts all jobs
    at once, and can bound the number of running jobs. *)
