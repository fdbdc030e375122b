(** Speculation: several ways to an answer tried at once, the first that has one
    counts.

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
    + the functions are evaluated in parallel: the first by the caller, the
      others as soon as somebody is idle or the one before waits, as the bodies
      of {!Stealing.pval}; as long as nobody is, a [por] costs no more than
      that;
    + the first [Some] is the result;
    + [None] is, if all return [None];
    + once there is a [Some], the others are cancelled, with all that they have
      forked, {e synchronously}: they have stopped when the call returns. A
      function that computes without a cancellation point (a fork, a wait,
      [Dromos.check]) is waited for;
    + those to the left go first where there is not room for all, so one worker
      evaluates from left to right, and stops at the first [Some].

    {b Exceptions} are those of evaluation from left to right: that of a
    function is raised if all to its left return [None], and then those to its
    right are cancelled; unless another function returned a [Some] before it
    came to that.

    Under any scheduler; nests, to any depth. Outside a run, from left to right.

    Source: Osborne, {e Speculative computation in Multilisp} (1990). *)

val por : (unit -> 'a option) -> (unit -> 'a option) -> 'a option

val first : (unit -> 'a option) list -> 'a option
(** A [por] of all. A function that has run for 10 ms without leaving its vproc
    gives way at its next cancellation point, as by {!Preemption.run} in its
    [Polled] mode, which is on for the run until the outermost [first] returns:
    so all functions begin, even if more of those to the left compute without
    end than there are vprocs. That clock costs a [first] that is in no other
    one about a microsecond, and nothing is paid in its functions.

    For jobs that wait, each in a fiber, see [Dromos.first]: it starts all of
    them at once, and can bound how many run. *)
