(** Random runs of a machine, with a check of every state. *)

type outcome = {
  steps : int;
  wrong : (string * string list) option;
      (** the fault, and the last steps. The fault is a message of
          {!Look.broken}, or says that no handler could move *)
}

val run :
  Random.State.t ->
  ?prepare:(Machine.state -> unit) ->
  Machine.t ->
  steps:int ->
  outcome
(** Begins events at random, also balancing, and takes random steps of the
    handlers under way; then runs all of them to their ends. [prepare] may set
    attributes first. *)
