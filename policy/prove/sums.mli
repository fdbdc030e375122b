(** Loops that add up: `foreach (c in g.cores) load += c.cload;`, also of
    several sums, and of summands that depend on conditions (`if (..) n++;`). *)

open Dromos_policy_core.Core

type t = { total : local; summand : expression }

val of_body : policy -> block -> t list option
(** The body does nothing else, and no summand is ever negative or depends on
    the sums. None for another body. *)

val add :
  Paths.t ->
  Paths.path ->
  each:local ->
  Paths.set ->
  called:string option ->
  t list ->
  evaluate:
    (Paths.t ->
    Paths.path ->
    expression ->
    (Paths.path -> Term.t -> unit) ->
    unit) ->
  (Paths.path -> unit) ->
  unit
(** After the loop over the set: of each sum is known that it is not negative,
    that it is as much as the summands of its instances that are members at
    least, and that some member has a summand of its own if it is not 0.
    [called]: what the set belongs to, for witnesses. *)
