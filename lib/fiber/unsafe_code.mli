(** Code of the standard library that must not be preempted. The code keeps
    state for a whole domain, or in a value that several fibers share, and is
    not re-entrant: [Format]'s formatters, [Scanf]'s input, lazy values,
    [Filename]'s and [Hashtbl]'s generators. After a forced preemption in the
    middle of such code, the next fiber of the domain would find the state half
    changed. Internal. *)

val running : unit -> bool
(** [true]: a function of these modules is among the innermost {!depth} frames
    of the caller's stack. A function of the program's that the modules have
    called counts as theirs. The test finds functions by name, so code without
    debugging information does not count. Costs some ten microseconds; a frame
    that was seen before costs some ten nanoseconds. Any thread may call
    [running]. *)

val depth : int

val modules : string list
(** The modules' names, as the compiler spells them. *)
