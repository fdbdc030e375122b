(** Quantifier-free terms over integers and booleans: what obligations are made
    of, and what is said to a prover (SMT-LIB 2) or to a reader (WhyML). Cores,
    threads, groups, domains and members of enumerations are integers here; -1
    is "none". Constructors simplify what is evident, so that a path whose
    condition became [false_] can be dropped at once. *)

type sort = Int | Bool

(** What a variable stands for, as far as a witness tells its value. *)
type kind =
  | Name  (** a core, thread, group or domain: which number says nothing *)
  | Word  (** a count or a sum of loads, which is not negative on a machine *)
  | Value
  | Hidden  (** nothing that stands in the policy *)

type var = {
  name : string;  (** unique within a case *)
  base : string;  (** in the policy's words, perhaps shared: for people *)
  sort : sort;
  members : string array;  (** of an enumeration, else empty *)
  kind : kind;
}

type symbol = { symbol : string; arity : int; result : sort }
(** an uninterpreted function of integers *)

type t = private { hash : int; size : int; node : node }
(** [size]: of the tree, though parts of it may be shared. Two equal terms have
    one [hash]; [=] too is quick where they differ, since it is compared first.
*)

and node = private
  | Int_literal of int
  | Bool_literal of bool
  | Variable of var
  | Apply of symbol * t list
  | Op of op * t list

and op =
  | Not
  | And
  | Or
  | Ite
  | Eq
  | Le
  | Lt
  | Add
  | Mul
  | Div  (** Euclid's *)

exception Too_large

val largest : int
(** The [size] of the largest term: a constructor that would make a larger one
    raises {!Too_large}. A value that is doubled again and again is a term of
    exponential size, which nobody could be asked about. *)

val equal : t -> t -> bool
(** at once where they differ, or are one *)

(** {1 Constructors}

    Linear in the number of operands given, and of theirs where they are of the
    same operator: {!and_}, {!or_} and {!add} take a long chain at once. *)

val int : int -> t
val bool : bool -> t
val true_ : t
val false_ : t
val none : t
val variable : var -> t

val individual : string -> t
(** the variable of a core, thread, group or domain of that name *)

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
(** toward 0, as in the language; the divisor is not 0 *)

val remainder : t -> int -> t

(** {2 By a term}

    Uninterpreted functions of dividend and divisor: with the same arguments the
    value is the same. What is known of a value is linear, so that no prover
    multiplies; each fact has a few times the size of the arguments. *)

val divided : symbol
val rest_of_division : symbol

val quotient_facts : t -> t -> t -> t list
(** [quotient_facts a b q] holds where q is a / b: sign, size, and what it is by
    0, 1 and by more than a. *)

val remainder_facts : t -> t -> t -> t list

val variables : t list -> var list
(** each once, in order of appearance *)

val symbols : t list -> symbol list

(** {1 To text} *)

val add_smt : Buffer.t -> t -> unit
(** as SMT-LIB, linear in the size *)

val smt : t -> string
val smt_name : string -> string

val whyml : name:(string -> string) -> t -> string
(** [name] gives variables and symbols names that WhyML accepts *)

val called : string -> t -> string
(** For people: what a name is called in the policy; anything else is some thing
    of the sort given, "some core". *)

val distinct_name : string -> t -> string
(** the same, by the unique name *)
