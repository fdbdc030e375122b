(** A hash table of fixed size for parallel additions: J. Shun and G. E.
    Blelloch, Phase-concurrent hash tables for determinism, SPAA 2014. Equal
    elements are merged.

    The contents of the table, and even their order, depend only on the set of
    additions, not on the schedule. Adding and reading are separate phases: all
    adding tasks must have ended (joined) before a task reads. *)

type 'a t

val create :
  room:int ->
  hash:('a -> int) ->
  compare:('a -> 'a -> int) ->
  merge:('a -> 'a -> 'a) ->
  'a t
(** A table for at least [room] different elements; the table is faster if at
    most half full. [merge x y] returns an element equal to its arguments.
    [merge] is associative and commutative, and [merge x x] is [x]. For sets
    [merge] may return either argument, for maps it returns the better one. *)

val add : 'a t -> 'a -> bool
(** Returns [true] if the call filled an empty slot, with the element or with an
    element that it displaced. The number of such calls is the number of
    different elements. Raises [Failure] if the table is full. *)

val mem : 'a t -> 'a -> bool
val find_opt : 'a t -> 'a -> 'a option
val places : 'a t -> int

val at : 'a t -> int -> 'a option
(** The contents of slot [i], below {!places}. *)
