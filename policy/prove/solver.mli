(** One process of an SMT solver, asked about one case after another.

    Blocks for at most the limit on each question, by the clock here, whatever
    the solver does; a process that is late is killed, with all that it started,
    and none is left when this program ends or is killed ({!Child}). Not for
    several domains at once. SIGPIPE is ignored while a process is open, since a
    solver may die before it read all. *)

type prover = {
  name : string;
  command : string list;  (** the program, looked for in PATH, and arguments *)
  package : string;  (** what to install where it is missing *)
}

val z3 : prover
val cvc5 : prover

type failure =
  | Missing
  | Late of float  (** no answer within so many seconds *)
  | Crashed of { status : string; said : string }
  | Garbled of string  (** what it printed instead of an answer *)

val explain : prover -> failure -> string
(** one sentence: what happened, and what to do *)

type model = (Term.var * int) list
(** booleans as 0 and 1; what passes 63 bits as [max_int], or its negation *)

type answer = Unsat | Sat of model | Undecided
type t

val start : limit:float -> prover -> (t, failure) result

val ask : t -> limit:float -> Term.t list -> (answer, failure) result
(** Linear in the sizes of the terms, and the solver's time. Are they
    satisfiable together? After a failure the process is gone, and [t] of no
    further use. *)

val stop : t -> unit
