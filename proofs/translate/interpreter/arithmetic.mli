(** HeapLang's operators, on integers of 63 bits: what exceeds them is stuck,
    since HeapLang's have no bounds. *)

exception Stuck of string

val stuck : ('a, unit, string, 'b) format4 -> 'a
(** Raises {!Stuck}. *)

val operate :
  string -> Dromos_translate.Heaplang.operator -> Value.t -> Value.t -> Value.t
(** With the definition that it is in. *)
