(** The loads of threads, as far as intervals over the policy's own definitions
    show. No prover is needed. *)

open Core

type t =
  | Each of int  (** every thread has this load, at least 1 *)
  | Between of { least : int; most : int option }
      (** every thread's load is in this interval; [least] is at least 1 *)
  | Anything

val of_policy : policy -> t

type bounds = Interval.t = { least : int option; most : int option }

val bounds : policy -> attribute -> bounds
(** The bounds of an integer attribute, by {!Ranges}. They are computed once for
    a policy; each domain keeps those of the last policy. *)

val natural : policy -> expression -> bool
(** True if {!Ranges} shows that the expression is never negative, whatever the
    values of its locals. *)

val never_set : policy -> attribute -> bool
(** True if neither the system nor a statement of the policy sets the attribute.
*)
