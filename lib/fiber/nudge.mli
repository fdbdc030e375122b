(** Interrupting a chosen domain: the one thing stock OCaml cannot say.

    A signal handler runs on whichever domain polls first. {!nudge} makes one
    given domain reach its next poll point as if its systhread tick had come, so
    that another systhread of that domain which waits for the runtime lock gets
    it within microseconds instead of at the 50 ms tick. It runs no code and
    changes nothing else. *)

type domain

val none : domain

val self : unit -> domain
(** The calling domain. Valid while the domain lives. *)

val nudge : domain -> unit
(** From any domain; a few nanoseconds. The domain must be alive: its owner
    guards this by a lock ({!Companion}). *)

val install : (unit -> unit) -> unit
(** Has the function called at poll points of OCaml code, on any thread of any
    domain that was nudged, or whose turn among the systhreads of its domain is
    over. It may block, and what it raises is raised there. Once in a process,
    before it is needed; a second call does nothing. *)
