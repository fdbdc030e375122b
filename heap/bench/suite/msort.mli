(** Merge sort of integers, with parallel merges into fresh arrays. *)

val program : Program.t
