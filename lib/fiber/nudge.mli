(** A poll request to a chosen domain, which stock OCaml has no operation for.

    A signal handler runs on the domain that polls first. {!nudge} makes a given
    domain reach its next poll point as if the domain's systhread tick had come.
    Another systhread of the domain that waits for the runtime lock then gets
    the lock within microseconds instead of at the 50 ms tick. A nudge runs no
    code and has no other effect. *)

type domain

val none : domain

val self : unit -> domain
(** The calling domain. Valid while the domain lives. *)

val nudge : domain -> unit
(** Any domain may call [nudge], which takes a few nanoseconds. The target
    domain must be alive: the domain's owner ensures this by a lock
    ({!Companion}). *)

val install : (unit -> unit) -> unit
(** Installs a function that the runtime calls at poll points of OCaml code, on
    any thread of any domain that was nudged, or whose turn among the domain's
    systhreads is over. The function may block, and may raise in the polling
    code. The first call in a process installs the function; a second call does
    nothing. *)
