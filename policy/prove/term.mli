(** Quantifier-free terms over integers and booleans: what obligations are made
    of, and what is said to a prover (SMT-LIB 2) or to a reader (WhyML). Cores,
    threads, groups, domains and members of enumerations are integers here; -1
    is "none". Constructors simplify what is evident, so that a path whose
    condition became [false_] can be dropped at once. *)

type sort = Int | Bool

type var = {
  name : string;  (** unique within a case; shown to people as it is *)
  sort : sort;
  members : string array;  (** of an enumeration, else empty *)
  is_name : bool;
      (** of a core, thread, group or domain: which number says nothing *)
}

type symbol = { symbol : string; arity : int; result : sort }
(** an uninterpreted function of integers *)

type t = private
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

val int : int -> t
val bool : bool -> t
val true_ : t
val false_ : t
val none : t
val variable : var -> t
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

val variables : t list -> var list
(** each once, in order of appearance *)

val symbols : t list -> symbol list

(** {1 To text} *)

val smt : t -> string
val smt_name : string -> string

val whyml : name:(string -> string) -> t -> string
(** [name] gives variables and symbols names that WhyML accepts *)

val say : t -> string
(** for people: names as they are, infix *)
