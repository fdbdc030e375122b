(** Fibers that a scheduler has lost: the collector has freed the fiber's handle
    while the scheduler had it. Internal; for {!Run} and {!Watcher}.

    Such a fiber never ends, and the fiber's scope waits for it for ever.
    {!Deadlock} reports the fiber when nothing else moves. This module reports
    the fiber while the rest of the run goes on, as soon as the worker's
    {!Registry} finds that the fiber is gone: at one of the registry's next
    entries, or in a look of the companion, every half second while the caller
    of the run sleeps.

    {b Cost}: a word for each fiber that has waited. *)

val tell : Types.run -> Info.holder -> unit
(** [tell run holder]: the fiber of [holder] is gone. Reports the fiber if a
    scheduler had it, once for each scheduler. Any thread may call [tell]. *)

val look : Types.run -> unit
(** Called by one thread at a time. *)
