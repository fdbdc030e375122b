(** A run that breaks a promise. The run is made again from its moves: for
    people, for checking and for the viewer. *)

type fault =
  | Breach of Promise.breach
  | Conservation of string
  | Stuck  (** the event under test can never end *)
  | Starves of { thread : int; since : int; from : int }
      (** the thread is ready after [since] steps, and never runs. The steps
          after the first [from] steps end in the state in which they began, and
          so can be repeated for ever. Each move is a whole handler, and one
          step. *)

type t = {
  instance : Instance.t;
  initial : Machine.state;
  moves : Instance.move list;
  steps : Steps.t list;  (** the steps of these moves *)
  final : Machine.state;
  fault : fault;
}

type packed = { block : Bytes.t; offset : int; length : int; budget : int }

val of_run : Solo.t -> Machine.state -> Instance.move list -> fault -> t
(** A trace from a state in which nothing is under way; each move is a step. *)

val of_path : Instance.t -> packed list -> fault -> t
(** A trace through packed states, from the first to the last. Raises [Failure]
    if no move leads from one state to the next, which is a bug of the explorer.
*)

val fault_of : Instance.t -> Machine.state -> fault option
(** The fault of a state, if the state has one. *)

val replay : t -> (unit, string) result
(** Runs the trace again, step by step, on a machine that is compiled again.
    Each state and the fault at the end must be the same. *)

val passes_63_bits : t -> Core.place option
(** The operation at which a number passes 63 bits in the run, if there is one.
    Runs the trace again. *)

val fault_text : fault -> string
(** "core 1 is overloaded, while core 0 is idle" *)

val title : t -> string
(** The property violated by the trace. *)

val begins : t -> (string * string) list
(** The start of the run, beside the places of threads, each line with a word:
    ["groups", "domain 0: cores 0, 1 | 2, 3"] where the policy asks for groups,
    ["system", "core 1 has capacity 2"], and for attributes set by handlers
    ["before", "t2 has slice 1"]. Empty if all values are initial. *)

val pp : Format.formatter -> t -> unit

val to_json : t -> Yojson.Safe.t
(** [{policy, property, bounds, cores, threads, begins, initial, steps: [{core,
     runner, text, time, cores}], fault, overloaded, idle}]; [cores] is an array
    of [{current, queues, cload, count, blocked, unblocked, synch}]. [time]
    counts steps. A thread that starves adds
    [starves: {thread, ready_after_step, repeats_after_step}]. *)
