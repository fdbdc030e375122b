(** What the server computes: Fibonacci numbers the naive way, an expensive
    computation with parallelism in it. *)

type fork = (unit -> int) -> (unit -> int) -> int * int
(** How two branches are computed. *)

val by : fork -> ?pause:(unit -> unit) -> int -> int
(** [by fork n]: a fork for every addition down to {!cutoff}, plain recursion
    below. [pause] is called after each piece of plain recursion, some tens of
    microseconds apart on every worker. *)

val cutoff : int

val sequential : int -> int
(** The same code without a scheduler: both branches are called. *)

val dromos : ?slice:float -> int -> int
(** With [Dromos.both], inside a run. A computation that has had the workers for
    [slice] seconds (0.01) yields to other ready tasks, so that small requests
    do not wait for the end of a big one; those shorter than that are computed
    in the order in which they came. *)

val most : int
(** The largest [n] whose result is an [int]. *)
