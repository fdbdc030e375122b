(** A hash table of fixed size into which many tasks add: J. Shun and G. E.
    Blelloch, Phase-concurrent hash tables for determinism, SPAA 2014. Equal
    elements are merged.

    Its contents, and even its order, depend on what has been added, not on when
    or by whom. Adding and reading are phases: all that adds must be over
    (joined) before anybody reads. *)

type 'a t

val create :
  room:int ->
  hash:('a -> int) ->
  compare:('a -> 'a -> int) ->
  merge:('a -> 'a -> 'a) ->
  'a t
(** For at least [room] different elements; faster if they are at most half as
    many. [merge x y] is for equal elements, an equal one; associative and
    commutative, with [merge x x] being [x]: for sets any of the two, for maps
    the better one. *)

val add : 'a t -> 'a -> bool
(** Whether an empty place was taken, by this element or by one that it pushed
    aside: as often as there are different elements. Raises [Failure] if there
    is no room. *)

val mem : 'a t -> 'a -> bool
val find_opt : 'a t -> 'a -> 'a option
val places : 'a t -> int

val at : 'a t -> int -> 'a option
(** What is in one of the {!places}. *)
