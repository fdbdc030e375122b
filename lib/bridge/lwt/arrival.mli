(** Lwt promises for results that arrive from other threads. Internal; on Lwt's
    thread only. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

val promise : cancel:(unit -> bool) -> 'a Lwt.t * ('a outcome -> unit)
(** A promise, and the function that resolves the promise. Call the function at
    most once. [Lwt.cancel] on the promise calls [cancel ()]. If [cancel ()] is
    [true], no outcome will arrive, and the promise is rejected with
    [Lwt.Canceled] at once. If [cancel ()] is [false], an outcome is under way
    and resolves the promise. A cancelled operation thus never loses a message
    or a lock that it was given.

    While the promise's callbacks run, the backtrace of an exception is the
    current backtrace of the domain. [Printexc.get_raw_backtrace] in a handler
    of [Lwt.catch] finds it, as after a [raise]. *)

val outcome : (unit -> 'a) -> 'a outcome
