(** What a scheduler must offer to run the parallel programs of this folder.
    Each contestant's folder has its own implementation, and compiles its own
    copy of the programs against it: calls are direct, and the compiler may
    inline across them, as in a program written for that scheduler. A functor or
    a record of closures would add an indirect call to forks that cost a few
    nanoseconds. *)

type config
(** Of the variants of a scheduler that differ at start only. *)

val variants : (string * string * config) list
(** Name in rows, one line about it, and how to start it. *)

val parallel : bool

type pool

val create : config -> workers:int -> pool
(** [workers] domains run tasks, the caller of {!run} being one if the scheduler
    uses it. *)

val close : pool -> unit

type ctx
(** What a fork needs to find its scheduler; [unit] where that is looked up. *)

val run : pool -> (ctx -> 'a) -> 'a

val both : ctx -> (ctx -> 'a) -> (ctx -> 'b) -> 'a * 'b
(** The scheduler's way to fork and join. *)

val for_ : ctx -> chunk:int -> int -> int -> (int -> unit) -> unit
(** Its parallel loop over a half-open range; [chunk] iterations are run in one
    piece, the scheduler choosing if it is 0. *)

type 'a promise

val async : ctx -> (ctx -> 'a) -> 'a promise
(** A task, its result awaited with {!await}. *)

val await : ctx -> 'a promise -> 'a

val map_chain : (pool -> int -> int) option
(** [map_chain pool n]: the value of the last of [n] futures, each mapped from
    the one before by adding 1, the first being 0; if the scheduler can map
    without a task that awaits. *)
