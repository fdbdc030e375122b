(** The server's computation: Fibonacci numbers the naive way, an expensive
    computation with parallelism in it. *)

type fork = (unit -> int) -> (unit -> int) -> int * int
(** A function that computes two branches. *)

val by : fork -> ?pause:(unit -> unit) -> int -> int
(** [by fork n]: a fork for every addition down to {!cutoff}, plain recursion
    below. [pause] is called after each piece of plain recursion, some tens of
    microseconds apart on every worker. *)

val cutoff : int

val sequential : int -> int
(** The same code without a scheduler: both branches are called. *)

val dromos : ?slice:int -> int -> int
(** With [Dromos.both], inside a run. After every [slice] pieces (200, some 5 ms
    of work) the computation yields to other ready tasks, so that small requests
    do not wait for the end of a big one. A computation shorter than a slice
    never yields: such computations run in the order of arrival. *)

val most : int
(** The largest [n] whose result is an [int]. *)
