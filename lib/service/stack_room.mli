(** Room on the stack for an operation, before the operation begins. Internal to
    Dromos.

    A stack that reaches its limit ([OCAMLRUNPARAM=l=..]) raises
    [Stack_overflow] at the entry of some function. In the middle of an
    operation the exception would leave a half change behind: a task that no
    worker finds, a message that is taken and not delivered, a lock without an
    owner. An operation of more than one step therefore asks for room first, and
    raises [Stack_overflow] before its first step if there is none.

    {b How much.} [n] is 1 for an operation that gives or releases, and for the
    inner parts of others; 2 for an operation that acquires or waits: a release
    at the same depth then finds room, and so do the inner parts; 3 for an
    operation made of such operations; 4 for a bracket around one of those,
    whose clean-up needs room if the inner operation finds none. *)

val has : int -> bool
(** [has n]: the stack has room for [n] times a thousand words. *)

val ensure : int -> unit
(** [ensure n] raises [Stack_overflow] if the stack has no room for [n] times a
    thousand words. Three nanoseconds while the stack is far from its limit; the
    stack does not grow.

    {[
      # Dromos_service.Stack_room.ensure 3
      - : unit = ()
    ]} *)
