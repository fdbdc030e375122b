(** A part of the matrix that stands for the whole. *)

val pairwise : Random.State.t -> Play.cell list -> Play.cell list
(** Of these cells so many that every pair of kinds occurs in one of them, and
    every structure with every kind. *)

val sample : Random.State.t -> int -> Play.cell list -> Play.cell list
(** So many, with equal chance, or all. *)

val only : string -> Play.cell list -> Play.cell list
(** Those that have every one of the names between commas: a structure and one
    or two kinds of tasks; a kind that is named twice is on both sides. Raises
    [Invalid_argument] for none. *)
