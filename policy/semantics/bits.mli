(** Sets of small numbers (cores, groups or domains), as the words of a state
    hold them.

    A set is an [int], so that a register can hold it; 0 is the empty set. If
    all numbers are below {!one_word}, the value holds the bits themselves: a
    set needs no room elsewhere, and {!add} and {!remove} are two instructions.
    Above that size, the value is a place in an arena of the universe, with
    several words for each set. The arena grows while handlers are under way,
    and {!forget} empties it. A set that is changed must belong to one register
    only: use {!copy}.

    Every function is O(n / 62) for a universe of n numbers, except {!elements}
    and {!of_list}, which are linear in the members too. No function raises or
    blocks. A universe belongs to one domain at a time. *)

type t
(** A universe: the numbers that sets may contain. *)

type set = int

val one_word : int
(** 62: universes with at most this many members have no arena. *)

val universe : int -> t
(** The universe of the numbers from 0 to the argument minus one. *)

val words : t -> int
(** The number of words of each set. *)

val of_list : t -> int list -> set
val copy : t -> set -> set

val add : t -> int array -> int -> int -> unit
(** [add t s at i] adds [i] to the set in [s.(at)]. No other register may hold
    the set. *)

val remove : t -> int array -> int -> int -> unit
(** [remove t s at i] removes [i] from the set in [s.(at)]; likewise. *)

val mem : t -> set -> int -> bool
(** The number must not be negative. *)

val lowest : t -> set -> int
(** The least member of a set, which must not be empty. *)

val elements : t -> set -> int list
(** The members in rising order. *)

val keep : t -> unit
(** The sets of this moment survive {!forget}. *)

val forget : t -> unit
(** Frees all sets but the kept ones. Call [forget] when no handler is under
    way. *)
