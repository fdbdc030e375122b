(** Calls that block, run by threads of the service domain. {!Threads} has the
    number of the threads, and the order of calls at the bound.

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
(** [call f] suspends the caller ({!Dromos_suspend.suspend}) while a thread of
    the service domain runs [f], under the signal mask with which the program
    started. Returns the value of [f], or raises its exception with its
    backtrace. Callable from any thread. Raises like {!Threads.start}.

    A blocking call that has begun cannot be stopped. A caller that leaves the
    wait with an exception (a cancellation) abandons the call. A call still in
    the queue is taken out, and never runs. A running call goes on to its end;
    [late] is then called with the result, on the same thread, under the same
    mask (by default the result is dropped). An exception of [late] is a
    thread's uncaught exception.

    With [shielded] the caller waits for the end of the call
    ({!Dromos_suspend.suspend_shielded}). [on_leave] is given a function
    [leave], callable from any thread: [leave e] makes the caller leave with the
    exception [e]. The result of [on_leave] is called when the wait is over. *)

val pending : unit -> int
(** The number of calls that may still wake a task. A call counts until its
    caller has been resumed. An abandoned call counts until [late] has returned,
    or no longer if it has no [late]. One atomic read. *)
