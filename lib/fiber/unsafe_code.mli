(** Code of the standard library that keeps state for a whole domain, or in a
    value that several fibers share, and is not re-entrant: [Format]'s
    formatters, [Scanf]'s input, lazy values, [Filename]'s and [Hashtbl]'s
    generators. A fiber that is preempted by force in the middle of such code
    leaves it half done for the next fiber of the domain. Internal. *)

val running : unit -> bool
(** Whether a function of these modules is among the innermost {!depth} frames
    of the caller's stack: a function of the program's that they have called
    counts as theirs. Found by names, so that code without debugging information
    does not count. Some ten microseconds; frames that were seen once cost some
    ten nanoseconds each. From any thread. *)

val depth : int

val modules : string list
(** As the compiler names them. *)
