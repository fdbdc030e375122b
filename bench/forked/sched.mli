(** The operations of a scheduler that the parallel programs of this folder
    need. Each contestant's folder has its own implementation, and compiles its
    own copy of the programs against it: calls are direct, and the compiler may
    inline across them, as in a program written for that scheduler. A functor or
    a record of closures would add an indirect call to forks that cost a few
    nanoseconds. *)

type config
(** The variants of a scheduler that differ at start only. *)

val variants : (string * string * config) list
(** Name in rows, a line about the variant, and its configuration. *)

val parallel : bool

type pool

val create : config -> workers:int -> pool
(** [workers] domains run tasks, including the caller of {!run} if the scheduler
    uses the caller. *)

val close : pool -> unit

type ctx
(** The context by which a fork finds its scheduler; [unit] for a scheduler that
    looks the context up. *)

val run : pool -> (ctx -> 'a) -> 'a

val both : ctx -> (ctx -> 'a) -> (ctx -> 'b) -> 'a * 'b
(** The scheduler's way to fork and join. *)

val for_ : ctx -> chunk:int -> int -> int -> (int -> unit) -> unit
(** The scheduler's parallel loop over a half-open range. [chunk] iterations run
    in one piece; with 0, the scheduler chooses. *)

type 'a promise

val async : ctx -> (ctx -> 'a) -> 'a promise
(** A task; {!await} returns its result. *)

val await : ctx -> 'a promise -> 'a

val map_chain : (pool -> int -> int) option
(** [map_chain pool n]: the value of the last of [n] futures; each future maps
    the one before by adding 1, and the first is 0. [None] if the scheduler
    cannot map without a task that awaits. *)
