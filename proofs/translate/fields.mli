(** Records: tuples, or blocks if a field is mutable. *)

open Heaplang

val given :
  Location.t ->
  (Types.label_description * Typedtree.record_label_definition) array ->
  (Types.label_description * Typedtree.expression) list
(** The fields of a new record that are kept. *)

val block : Location.t -> expr list -> expr
val cell : Types.label_description -> expr -> expr
val field_address : expr -> int -> expr

val read_field :
  Location.t -> Types.label_description -> ghost:bool -> expr -> expr

val prophecy : string
(** The variable that holds one for a moment. *)

val ghost_field : Types.label_description -> expr -> expr
(** The prophecy of a record of the same type as this field's. *)
