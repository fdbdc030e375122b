(** Sets of small numbers (cores, groups or domains), as the words of a state
    hold them.

    A value is an [int], so that a register can hold it; 0 is the empty set.
    Where all numbers are below {!one_word} the value is the bits themselves: no
    set takes room, and {!add} and {!remove} are two instructions. Above, the
    value is a place in an arena of the universe, several words for each set.
    The arena grows while handlers are under way and is emptied by {!forget}; a
    set that is changed belongs to one register, which {!copy} sees to.

    Every function is O(members / 62) but {!elements}, which is O(members). None
    raises, none blocks; a universe belongs to one domain at a time. *)

type t
(** A universe: the numbers that its sets may have. *)

type set = int

val one_word : int
(** 62: universes up to that many members keep no arena. *)

val universe : int -> t
(** Of the numbers from 0 to one less than this. *)

val words : t -> int
(** Words of each set. *)

val of_list : t -> int list -> set
val copy : t -> set -> set

val add : t -> int array -> int -> int -> unit
(** [add t s at i]: the set that [s.(at)] holds, and nobody else, gets [i]. *)

val remove : t -> int array -> int -> int -> unit
(** [remove t s at i]: likewise. *)

val mem : t -> set -> int -> bool
(** Of a number that is not negative. *)

val lowest : t -> set -> int
(** The least member of a set that is not empty. *)

val elements : t -> set -> int list
(** From the least on. *)

val keep : t -> unit
(** The sets that there are now outlive {!forget}. *)

val forget : t -> unit
(** The others are over: no handler is under way. *)
