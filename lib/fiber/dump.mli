(** A report of every fiber of the process. Internal; [Dromos.dump] describes
    the behaviour for users.

    The dump reads fields that other threads write, without stopping the
    threads, so lines may be of slightly different moments. Each field is a
    word, so no worse can happen. Tested: test/sched/dump, in a process of its
    own, and in a loop under load. *)

val text : unit -> string
(** Any thread may call [text]. O(n log n) for n fibers; at most some hundred
    lines for each run. *)

val tell : unit -> unit
(** Hands {!text} to the {!Dromos_service.Reporter}. *)

val on_sigquit : unit -> unit
(** See [Dromos.dump_on_sigquit]. *)

val if_asked : unit -> unit
(** {!on_sigquit} if [DROMOS_DUMP] is set. Called by the caller of a run. *)
