(** A storm of signals, frequent enough to hit collections and every other slow
    step. All signals have the same number, so a thread never handles two at
    once: on some processors the stack that OCaml gives C handlers is too small
    for two. *)

val hits : int Atomic.t
(** The number of handled signals. Each handler allocates. *)

val also : (unit -> unit) Atomic.t
(** A further action of each handler. *)

val during : (unit -> unit) -> unit
(** Runs the function in a storm of signals, and checks that at least one signal
    came. *)

val interrupted : (unit -> 'a) -> 'a option
(** Runs the function. Every eighth signal raises if it comes to the calling
    thread; the result is then [None]. *)
