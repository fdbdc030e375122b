(** The stress test: time against how much of a program is entangled, as figure
    8 of the paper. *)

open Bench_driver

val bench : string
(** The name in rows; their cut-off is the percentage. *)

val run :
  Comparison.asked ->
  percentages:int list ->
  progress:(done_:int -> of_:int -> string -> unit) ->
  Row.t list
(** Of {!Heap_suite.Stress}, whatever programs were asked for. All percentages
    take turns, as contestants do. *)

type line = { slope : float; at_zero : float; explained : float }
(** [explained] is the coefficient of determination, R{^ 2}. *)

val fit : (float * float) list -> line
(** Least squares. *)

val print : Format.formatter -> Row.t list -> unit
(** For each contestant and number of workers: times, beside those at 0 percent,
    and how far they are on a line; and, where stock is among them, what takes
    longer than stock, which pays for the processors' caches as well. *)

val draw : dir:string -> Row.t list -> string list
(** The files written. *)
