(** Calls that block, on threads of the service domain ({!Threads}, which says
    how many there are, and what happens at the bound).

    {[
      # Dromos_service.Blocking.call (fun () -> Thread.delay 0.01; "late")
      - : string = "late"
    ]} *)

val call :
  ?shielded:bool ->
  ?late:(('a, exn) result -> unit) ->
  ?on_leave:((exn -> unit) -> unit -> unit) ->
  (unit -> 'a) ->
  'a
(** Suspends the caller ({!Dromos_suspend.suspend}) while a thread of the
    service domain runs the function, under the signal mask that the program
    started with; returns its value, or raises its exception with its backtrace.
    From anywhere. Raises like {!Threads.start}.

    Nothing stops a blocking call that has begun. A caller that leaves the wait
    with an exception (it was cancelled) abandons the call: one that waits in
    line is taken out of it and never runs; one that runs goes on to its end,
    and [late] is then called with its result on the same thread, under the same
    mask (default: the result is dropped). What [late] raises is a thread's
    uncaught exception.

    With [shielded] the caller waits the call out
    ({!Dromos_suspend.suspend_shielded}), unless the function that [on_leave] is
    given is called, from anywhere: then it leaves with that exception. What
    [on_leave] returns is called when the wait is over. *)

val pending : unit -> int
(** Calls that may still wake somebody: each counts until its caller has been
    resumed; an abandoned one with [late] until that has returned, without it no
    longer. One atomic read. *)
