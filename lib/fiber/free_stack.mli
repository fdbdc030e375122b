(** What is free, last in, first out (Treiber's stack). Internal to
    [Dromos.Worker_local].

    Lock-free, from anywhere. Checked: dscheck, nothing is in two hands, and
    nothing is lost. *)

type 'a t

val create : unit -> 'a t
(** On a cache line of its own. *)

val push : 'a t -> 'a -> unit
val pop : 'a t -> 'a option

val length : 'a t -> int
(** O(n). *)
