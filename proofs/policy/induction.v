(** Induction over runs of a text, for all relations of the semantics at once. *)

From dromos.policy Require Export machine.

Scheme eval_min := Minimality for eval Sort Prop
  with bound_min := Minimality for bound Sort Prop
  with members_min := Minimality for members Sort Prop
  with exec_min := Minimality for exec Sort Prop
  with does_min := Minimality for does Sort Prop
  with iterates_min := Minimality for iterates Sort Prop.

Combined Scheme text_min from eval_min, bound_min, members_min, exec_min, does_min,
  iterates_min.
