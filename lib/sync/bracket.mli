(** Brackets of structures: a function between a lock and its release. Internal
    to this library.

    [Fun.protect] allocates before its function is protected. An exception of a
    callback of [Gc.Memprof] could come there, and the lock would stay taken. *)

val run : (unit -> 'a) -> (unit -> unit) -> 'a
(** [run f finish] is [f ()], with [finish ()] called whatever happens in [f].
    If [f] has raised, an [Invalid_argument] of [finish] is dropped: [f] itself
    may have released the lock, and the exception of [f] says more. *)
