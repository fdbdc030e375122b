(** Policies in the deep embedding of [proofs/policy/syntax.v]. It is part of
    what a certificate's reader trusts: each constructor of
    [policy/core/core.mli] has its own there, and nothing is computed. *)

open Dromos_policy_core.Core

exception No_word of place * string
(** The embedding has no room for this: where it stands, and what. *)

val loads : policy -> expression list
(** What [load] begins with, and all that is assigned to the attribute, by the
    interface too; none without the attribute. *)

val policy : Format.formatter -> policy -> unit
(** Prints names of attributes, states and functions, and
    [Definition the_policy : policy].
    @raise No_word *)
