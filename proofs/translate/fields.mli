(** Records become tuples, or blocks if a field is mutable. *)

open Heaplang

val given :
  Location.t ->
  (Types.label_description * Typedtree.record_label_definition) array ->
  (Types.label_description * Typedtree.expression) list
(** The fields of a record expression, without the dropped fields. *)

val block : Location.t -> expr list -> expr
val cell : Types.label_description -> expr -> expr
val field_address : expr -> int -> expr

val read_field :
  Location.t -> Types.label_description -> ghost:bool -> expr -> expr

val prophecy : string
(** The variable that the translation binds to a prophecy for one use. *)

val ghost_field : Types.label_description -> expr -> expr
(** [ghost_field l record] is the prophecy of [record], whose type has the field
    [l]. *)
