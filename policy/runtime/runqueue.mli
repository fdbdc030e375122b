(** A queue of threads in the order that its state declares. For one thread at a
    time: a core's queues are under its lock.

    Without keys it is first in, first out, at O(1) each; with keys it is in
    their order, equal ones first in, first out, at O(log k), k being how many
    different keys there are. Who enters stands before the first whose keys are
    greater; keys that change later move nobody, as in a line of people. While
    some have changed, operations are linear. Source: the machine of
    policy/semantics, which it is tested against. *)

type 'a t

val fifo : none:'a -> 'a t
(** [none] is in no queue: what {!first} says of an empty one. *)

val sorted : none:'a -> ('a -> int array) -> 'a t
(** By these keys, compared from the first on, lowest first. *)

val keys : 'a t -> 'a -> int array
(** What the queue sorts by, now; nothing without keys. *)

val keys_changed : 'a t -> unit
(** One that is in the queue may have other keys now. *)

val add : 'a t -> 'a -> unit

val first : 'a t -> 'a
(** Or none, as {!take_first}. *)

val to_list : 'a t -> 'a list
(** First to last. *)

val take_first : 'a t -> 'a

val take : 'a t -> ('a -> bool) -> 'a option
(** The first that satisfies the predicate. Linear. *)

val is_newest : 'a t -> 'a -> bool
(** It entered last of those with its keys. Costs as {!add}; [false] while keys
    have changed. *)

val take_newest : 'a t -> 'a -> bool
(** Takes it out, if {!is_newest}. *)

val offer : 'a t -> ('a -> bool) -> enough:(unit -> bool) -> 'a list
(** Offers each, first to last, to the function; those for which it says [true]
    leave the queue and are returned, in order. After each, whether it leaves or
    not, [enough] says whether to stop. *)
