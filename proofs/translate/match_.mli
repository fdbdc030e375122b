(** Matches, one level deep. *)

type head =
  | Any
  | Constructor of Types.constructor_description * Heaplang.binder list

type case = {
  head : head;
  aliases : Ident.t list;  (** names of the whole *)
  body : Typedtree.expression;
}

val read : Typedtree.computation Typedtree.case -> case
(** Refuses guards, nested patterns and the like. *)

val argument : Typedtree.pattern -> Heaplang.binder
(** A variable or [_]. *)

val bind_components :
  Heaplang.binder list -> Heaplang.expr -> Heaplang.expr -> Heaplang.expr
(** [bind_components binders tuple body]. *)

val translate :
  Location.t ->
  case list ->
  (case -> Heaplang.expr) ->
  Heaplang.expr ->
  Heaplang.expr
(** [translate loc cases body on] is the match of [on], where [body case]
    translates a body. The body of a case that stands for several constructors
    may be there several times. *)
