(** Signals, at a rate that meets collections and whatever else takes a while.
    All are of one kind: where two meet in a thread, the stack that OCaml gives
    it for handlers of C is too small on some processors. *)

val hits : int Atomic.t
(** How many have been handled. Each handler allocates. *)

val also : (unit -> unit) Atomic.t
(** What each handler does besides. *)

val during : (unit -> unit) -> unit
(** Runs it in a storm of them, and sees to it that some came. *)

val interrupted : (unit -> 'a) -> 'a option
(** Runs it where each eighth signal that comes to this thread raises: [None] if
    one did. *)
