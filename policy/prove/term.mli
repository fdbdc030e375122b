(** Quantifier-free terms over integers and booleans. Obligations are made of
    terms; a term is printed for a prover (SMT-LIB 2) or for a reader (WhyML).
    Cores, threads, groups, domains and members of enumerations are integers; -1
    is "none". Constructors simplify, so that a path whose condition became
    [false_] can be dropped at once. *)

type sort = Int | Bool

(** The meaning of a variable, for witnesses. *)
type kind =
  | Name  (** a core, thread, group or domain, whose number says nothing *)
  | Word  (** a count or a sum of loads, which is never negative on a machine *)
  | Value
  | Hidden  (** a value that does not occur in the policy *)

type var = {
  name : string;  (** unique within a case *)
  base : string;
      (** the name in the policy's words, which several variables may share; for
          people *)
  sort : sort;
  members : string array;  (** the members of an enumeration; else empty *)
  kind : kind;
}

type symbol = { symbol : string; arity : int; result : sort }
(** An uninterpreted function of integers. *)

type t = private { hash : int; size : int; node : node }
(** [size] is the size of the tree, though subterms may be shared. Equal terms
    have the same [hash]. Polymorphic [=] is fast where the terms differ, as it
    compares [hash] first. *)

and node = private
  | Int_literal of int
  | Bool_literal of bool
  | Variable of var
  | Apply of symbol * t list
  | Op of op * t list

and op

exception Too_large

val largest : int
(** The largest [size] of a term: a constructor that would make a larger term
    raises {!Too_large}. Repeated doubling of a value makes a term of
    exponential size, too large for any prover. *)

val equal : t -> t -> bool
(** Fast where the terms differ or are physically equal. *)

(** {1 Constructors}

    Linear in the number of operands, and in the operands of operands with the
    same operator: {!and_}, {!or_} and {!add} take a long chain in one call. *)

val int : int -> t
val bool : bool -> t
val true_ : t
val false_ : t
val none : t
val variable : var -> t

val individual : string -> t
(** The variable of the core, thread, group or domain of that name. *)

val apply : symbol -> t list -> t
val not_ : t -> t
val and_ : t list -> t
val or_ : t list -> t
val implies : t -> t -> t
val ite : t -> t -> t -> t
val eq : t -> t -> t
val le : t -> t -> t
val lt : t -> t -> t
val add : t list -> t
val neg : t -> t
val sub : t -> t -> t
val mul : t -> t -> t

val quotient : t -> int -> t
(** Division toward 0, as in the language. The divisor must not be 0. *)

val remainder : t -> int -> t

(** {2 By a term}

    Uninterpreted functions of dividend and divisor: the same arguments give the
    same value. The known facts about a value are linear, so that no prover
    multiplies. Each fact is a few times as large as the arguments. *)

val divided : symbol
val rest_of_division : symbol

val quotient_facts : t -> t -> t -> t list
(** [quotient_facts a b q]: facts that hold if q is a / b. The facts give the
    sign and the size of q, and the value where b is 0, 1 or larger than a. *)

val remainder_facts : t -> t -> t -> t list

val variables : t list -> var list
(** Each variable once, in order of appearance. *)

val symbols : t list -> symbol list

(** {1 To text} *)

val add_smt : Buffer.t -> t -> unit
(** Appends the term as SMT-LIB. Linear in the size. *)

val smt : t -> string
val smt_name : string -> string

val whyml : name:(string -> string) -> t -> string
(** [name] gives variables and symbols names that WhyML accepts *)

val called : string -> t -> string
(** The name of a variable in the policy, for people. Any other term is "some
    core", if the string is "core". *)

val distinct_name : string -> t -> string
(** The same as {!called}, with the unique name. *)
