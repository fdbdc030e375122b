(** A run that breaks a promise: made again from its moves, for people, for
    checking and for the viewer. *)

type fault =
  | Breach of Promise.breach
  | Conservation of string
  | Stuck  (** the event under test can never end *)
  | Starves of { thread : int; since : int; from : int }
      (** the thread is ready after [since] steps, and never runs: what comes
          after [from] steps ends in the state it began with, and so can come
          again and again. Each move is a whole handler, and one step. *)

type step = Steps.t = {
  core : int;  (** on which the handler runs *)
  runner : int;
  text : string;
  after : Machine.state;
}

type t = {
  instance : Instance.t;
  initial : Machine.state;
  moves : Instance.move list;
  steps : step list;  (** that these moves are made of *)
  final : Machine.state;
  fault : fault;
}

type packed = { block : Bytes.t; offset : int; length : int; budget : int }

val of_run : Solo.t -> Machine.state -> Instance.move list -> fault -> t
(** From a state in which nothing is under way; each move is a step. *)

val of_path : Instance.t -> packed list -> fault -> t
(** From packed states, the first to the last. Raises [Failure] if no move leads
    from one to the next: an error here. *)

val fault_of : Instance.t -> Machine.state -> fault option
(** What is wrong in a state, if anything. *)

val replay : t -> (unit, string) result
(** Runs it again, on a machine compiled anew, step by step; each state and what
    is wrong at the end must be the same. *)

val fault_text : fault -> string
(** "core 1 is overloaded, while core 0 is idle" *)

val title : t -> string
(** The property that it is against. *)

val begins : t -> (string * string) list
(** What the run begins with, beside where threads stand, each with a word:
    ["groups", "domain 0: cores 0, 1 | 2, 3"] where the policy asks for groups,
    ["system", "core 1 has capacity 2"], and of attributes that handlers set
    ["before", "t2 has slice 1"]. Empty for the usual. *)

val pp : Format.formatter -> t -> unit

val to_json : t -> Yojson.Safe.t
(** [{policy, property, bounds, cores, threads, begins, initial, steps: [{core,
     runner, text, time, cores}], fault, overloaded, idle}]; [cores] is an array
    of [{current, queues, cload, count, blocked, unblocked, synch}]. [time]
    counts steps. A thread that starves adds
    [starves: {thread, ready_after_step, repeats_after_step}]. *)
