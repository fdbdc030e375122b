(** Lwt promises for what happens elsewhere. Internal; on Lwt's thread only. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

val promise : cancel:(unit -> bool) -> 'a Lwt.t * ('a outcome -> unit)
(** A promise and the function that resolves it, to be called at most once.

    [Lwt.cancel] on the promise calls [cancel ()]: [true] means that nothing
    will arrive, and the promise is rejected with [Lwt.Canceled] at once;
    [false] that an outcome is on its way, and the promise is resolved with it.
    So what a cancelled operation was given after all, a message or a lock, is
    not lost.

    An exception's backtrace is the domain's current one while the promise's
    callbacks run, so [Printexc.get_raw_backtrace] in a handler of [Lwt.catch]
    finds it, as after a [raise]. *)

val outcome : (unit -> 'a) -> 'a outcome
