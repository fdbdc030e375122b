(** What is known of the loads of threads, found by intervals over the policy's
    own definitions: nobody is asked. *)

open Core

type t =
  | Each of int  (** every thread's load is this, at least 1 *)
  | Between of { least : int; most : int option }
      (** every thread's load is in this interval; [least] is at least 1 *)
  | Anything

val of_policy : policy -> t

type bounds = Interval.t = { least : int option; most : int option }

val bounds : policy -> attribute -> bounds
(** Of an integer attribute, by {!Ranges}. Found once for a policy, in as many
    steps as are said there; those of the last policy asked about are kept, for
    each domain. *)

val natural : policy -> expression -> bool
(** Whatever its locals are, it is 0 at least: found by {!Ranges}, too. *)

val never_set : policy -> attribute -> bool
(** by no statement of the policy; and not by the system *)
