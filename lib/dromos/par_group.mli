(** Groups by key; documented at {!Par.Array.group_by}. *)

val group_by : ?grain:int -> ('a -> 'k) -> 'a array -> ('k * 'a array) array
val count_by : ?grain:int -> ('a -> 'k) -> 'a array -> ('k * int) array

val histogram :
  ?grain:int -> buckets:int -> ('a -> int) -> 'a array -> int array
