(** HeapLang's operators, on integers of 63 bits. HeapLang's integers have no
    bounds, so a result that needs more bits is stuck. *)

exception Stuck of string

val stuck : ('a, unit, string, 'b) format4 -> 'a
(** Raises {!Stuck}. *)

val operate :
  string -> Dromos_translate.Heaplang.operator -> Value.t -> Value.t -> Value.t
(** [operate origin operator a b]: [origin] is the name of the definition that
    contains the operation, for messages. *)
