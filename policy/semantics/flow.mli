(** Analyses of {!Code}: its uses of registers and of threads, on all paths. *)

val live :
  Code.instruction array ->
  entry:int ->
  last:int ->
  Code.kind array ->
  int array array
(** The registers whose values may still be used, for each place from [entry] to
    [last]. Takes instructions times registers / 64 for each nesting of loops;
    called on demand only. *)

val used_at : Code.instruction array -> int -> int list
val defined_at : Code.instruction array -> int -> int list

val handed_over : Code.instruction array -> bool array
(** By place: true if a step that {!Code.step.hands_over} may have come before.
    Linear. *)

val may_end : Code.instruction array -> bool array
(** By place: true if the step may be the last of the handler. Linear for each
    nesting of loops. *)
