(** Policies in the deep embedding of [proofs/policy/syntax.v]. A reader of a
    certificate must trust this module: each constructor of
    [policy/core/core.mli] is printed as its counterpart there, and nothing is
    computed. *)

open Dromos_policy_core.Core

exception No_word of place * string
(** The embedding lacks a construct: its place, and its name. *)

val loads : policy -> expression list
(** The initial value of [load], and all values assigned to the attribute, also
    by the interface; empty without the attribute. *)

val policy : Format.formatter -> policy -> unit
(** Prints the names of attributes, states and functions, and
    [Definition the_policy : policy].
    @raise No_word *)
