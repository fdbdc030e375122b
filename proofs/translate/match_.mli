(** Translates matches, one level deep. *)

type head =
  | Any
  | Constructor of Types.constructor_description * Heaplang.binder list

type case = {
  head : head;
  aliases : Ident.t list;  (** variables bound to the whole value *)
  body : Typedtree.expression;
}

val read : Typedtree.computation Typedtree.case -> case
(** Reads a case of a typed tree. Refuses guards, nested patterns and the like.
*)

val argument : Typedtree.pattern -> Heaplang.binder
(** The binder for a variable or [_]. Refuses other patterns. *)

val bind_components :
  Heaplang.binder list -> Heaplang.expr -> Heaplang.expr -> Heaplang.expr
(** [bind_components binders tuple body] binds [binders] to the components of
    [tuple] in [body]. *)

val translate :
  Location.t ->
  case list ->
  (case -> Heaplang.expr) ->
  Heaplang.expr ->
  Heaplang.expr
(** [translate loc cases body on] matches [on] with [cases]. [body case]
    translates the body of [case]. A case for several constructors may have
    several copies of its body in the result. *)
