(** One process of an SMT solver that answers one question after another.

    Each question blocks for at most its limit, measured by the clock of this
    process, whatever the solver does. A solver that is late is killed with all
    processes that it started, and none of these outlives this program
    ({!Child}). Use a solver from one domain only. SIGPIPE is ignored while a
    process is open, since a solver may die before it has read its input. *)

type prover = {
  name : string;
  command : string list;  (** the program, looked for in PATH, and arguments *)
  package : string;  (** the package to install where the program is missing *)
}

val z3 : prover
val cvc5 : prover

type failure =
  | Missing
  | Late of float  (** no answer within so many seconds *)
  | Crashed of { status : string; said : string }
  | Garbled of string
      (** the text that the program printed instead of an answer *)

val explain : prover -> failure -> string
(** One sentence: what happened, and what the user can do. *)

type model = (Term.var * int) list
(** Booleans are 0 and 1. A number that does not fit into 63 bits is [max_int]
    or its negation. *)

type answer = Unsat | Sat of model | Undecided
type t

val start : limit:float -> prover -> (t, failure) result

val ask : t -> limit:float -> Term.t list -> (answer, failure) result
(** Asks whether the terms are satisfiable together. Takes linear time in the
    sizes of the terms, and the solver's time. After a failure the process is
    gone, and [t] must not be used again. *)

val stop : t -> unit
