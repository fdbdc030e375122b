(** The rows as text. *)

open Bench_driver

val program : Format.formatter -> Row.t list -> unit
(** Of one program: all contestants. *)

val paper : Format.formatter -> Row.t list -> unit
(** Of all programs, for each runtime: the columns of figure 6 of the paper,
    with the longest pause and the share of time in collections. *)

val summary : Format.formatter -> Row.t list -> unit
(** Geometric means over the programs of what each contestant takes beside
    stock, and the longest pause of all; once more for the programs that
    allocate most. *)

(** {1 Of rows} *)

val figure : Row.t -> string -> float
(** [nan] if there is none. *)

val distinct : (Row.t -> 'a) -> Row.t list -> 'a list
(** In the order in which they come first. *)

val processors : Row.t list -> int
(** The most workers for which there are cores: the P of T{_ P}. *)

(** {1 In cells} *)

val number : int -> float -> string
(** With so many digits; a dash for [nan]. *)

val ratio : float -> string
val mb : float -> float

val mib : Row.t -> string
(** The most memory. *)

val disturbed : Format.formatter -> Row.t list -> unit
(** Says how many measurements were, if any. *)
