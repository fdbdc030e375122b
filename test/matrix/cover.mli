(** A part of the matrix, in place of the whole. *)

val pairwise : Random.State.t -> Play.cell list -> Play.cell list
(** A selection of the cells in which every pair of kinds occurs, and every
    structure with every kind. *)

val sample : Random.State.t -> int -> Play.cell list -> Play.cell list
(** The given number of cells, drawn with equal chance, or all. *)

val only : string -> Play.cell list -> Play.cell list
(** The cells that have all names in a list with commas: a structure and one or
    two kinds of tasks; a kind named twice is on both sides. Raises
    [Invalid_argument] if no cell is left. *)
