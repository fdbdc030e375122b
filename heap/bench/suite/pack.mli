(** The indices that satisfy a predicate, in order. *)

val indices : (module Program.Fork) -> int -> (int -> bool) -> int array
(** The indices below the bound. The predicate is called once per index. *)
