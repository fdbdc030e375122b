(** Every fiber of the process, for people. Internal; for them the behaviour is
    described at [Dromos.dump].

    Reads what others write without stopping them, so lines may be of slightly
    different moments; each field is a word, so that nothing worse can come of
    it. Tested: test/sched/dump, in a process of its own, and in a loop under
    load. *)

val text : unit -> string
(** From any thread. O(n log n) for n fibers; at most some hundred lines for
    each run. *)

val tell : unit -> unit
(** Hands {!text} to the {!Dromos_service.Reporter}. *)

val on_sigquit : unit -> unit
(** See [Dromos.dump_on_sigquit]. *)

val if_asked : unit -> unit
(** {!on_sigquit} if [DROMOS_DUMP] is set. By the caller of a run. *)
