(** The rows as text. *)

open Bench_driver

val program : Format.formatter -> Row.t list -> unit
(** The rows of one program: all contestants. *)

val paper : Format.formatter -> Row.t list -> unit
(** The rows of all programs, a table for each runtime: the columns of figure 6
    of the paper, with the longest pause and the time share of collections. *)

val summary : Format.formatter -> Row.t list -> unit
(** Geometric means over the programs of each contestant's costs relative to
    OCaml's own runtime, and the longest pause of all; a second table for the
    programs that allocate most. *)

(** {1 Rows} *)

val figure : Row.t -> string -> float
(** [nan] for a missing figure. *)

val distinct : (Row.t -> 'a) -> Row.t list -> 'a list
(** The distinct values, in order of first occurrence. *)

val processors : Row.t list -> int
(** The largest number of workers with a core each: the P of T{_ P}. *)

(** {1 Cells} *)

val number : int -> float -> string
(** [number digits x]; a dash for [nan]. *)

val ratio : float -> string
val mb : float -> float

val mib : Row.t -> string
(** The memory peak. *)

val disturbed : Format.formatter -> Row.t list -> unit
(** Prints the number of disturbed measurements, if any. *)
