(** The service domain: one domain, started on first use, whose systhreads hold
    blocking calls and the timer, so that no worker shares its runtime lock with
    a blocked thread. Internal. *)

val max_threads : int
(** Blocking calls that run at a time; more are queued. *)

val blocking : (unit -> 'a) -> 'a
(** Suspends the caller while a thread of the service domain runs the function.
    The wait must not be cancelled ({!Cancel.shielded}). *)

val after : Mtime.Span.t -> (unit -> unit) -> unit -> unit
(** [after span f] calls [f], which must not block or raise, on the timer's
    thread once [span] has passed; the result cancels that. O(log n). *)
