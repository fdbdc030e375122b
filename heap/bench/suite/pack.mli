(** Indices of what satisfies a predicate, in order. *)

val indices : (module Program.Fork) -> int -> (int -> bool) -> int array
(** Below the bound. Each is asked about once. *)
