(** Loops that only add up: `foreach (c in g.cores) load += c.cload;`. A loop
    may have several sums, and summands that depend on conditions (`if (..)
    n++;`). *)

open Dromos_policy_core.Core

type t = { total : local; summand : expression }

val of_body : policy -> block -> t list option
(** The sums of a loop body. None if the body does anything else, or if a
    summand may be negative or depends on the sums. *)

val add :
  Types.t ->
  Types.path ->
  each:local ->
  Types.set ->
  called:string option ->
  t list ->
  evaluate:
    (Types.t ->
    Types.path ->
    expression ->
    (Types.path -> Term.t -> unit) ->
    unit) ->
  (Types.path -> unit) ->
  unit
(** The path after the loop over the set. Three facts are known of each sum: the
    sum is not negative; the sum is at least the total of the summands at the
    instances that are members; and if the sum is not 0, some member has a
    positive summand. [called]: the name of the set's owner, for witnesses. *)
