(** A pool of free values, last in, first out (Treiber's stack). Internal to
    [Dromos.Worker_local].

    Lock-free; any thread may call the functions. Checked: dscheck, no value is
    given to two callers, and no value is lost. *)

type 'a t

val create : unit -> 'a t
(** On a cache line of its own. *)

val push : 'a t -> 'a -> unit
val pop : 'a t -> 'a option

val length : 'a t -> int
(** O(n). *)
