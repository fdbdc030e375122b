(** Calls that block, on threads of the service domain ({!Host}).

    At most {!max_threads} run at a time; more wait in line, in the order in
    which they came. A few idle threads are kept for the calls to come, the
    others end.

    {[
      # Dromos_service.Blocking.call (fun () -> Thread.delay 0.01; "late")
      - : string = "late"
    ]} *)

val max_threads : int

val call : ?shielded:bool -> (unit -> 'a) -> 'a
(** Suspends the caller ({!Dromos_suspend.suspend}) while a thread of the
    service domain runs the function, under the signal mask that the program
    started with; returns its value, or raises its exception with its backtrace.
    From anywhere.

    Nothing stops a blocking call: a caller that leaves the wait with an
    exception (it was cancelled) leaves the call running and its result unread.
    With [shielded] it waits it out ({!Dromos_suspend.suspend_shielded}). *)

val pending : unit -> int
(** Calls that wait in line or run. Each is counted until its caller has been
    resumed, so that as long as one may still resume somebody it is more than 0.
    One atomic read. *)
