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

(** {1 Parts} *)

val processors : Row.t list -> int
(** The largest number of workers with a core each: the P of T{_ P}. *)

val mb : float -> float
(** Bytes as MB. *)
