(** A process of an SMT solver, for one question after another.

    Each question blocks for at most its limit, measured by the clock of the
    caller, whatever the solver does. A late solver is killed with all its child
    processes, and none of them outlives the program ({!Child}). Use a solver
    from one domain only. SIGPIPE is ignored while a process is open, since a
    solver may die before reading all input. *)

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
(** A sentence for the user: what happened, and what to do. *)

type model = (Term.var * int) list
(** Booleans are 0 and 1. A number too large for 63 bits is [max_int] or its
    negation. *)

type answer = Unsat | Sat of model | Undecided
type t

val start : limit:float -> prover -> (t, failure) result

val ask : t -> limit:float -> Term.t list -> (answer, failure) result
(** Asks whether the terms are satisfiable together. Takes linear time in the
    sizes of the terms, and the solver's time. After a failure the process is
    gone, and [t] must not be used again. *)

val stop : t -> unit
