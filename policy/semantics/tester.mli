(** Random runs of a machine, whose every state is looked at. *)

type outcome = {
  steps : int;
  wrong : (string * string list) option;
      (** what {!Look.broken} said, or that nothing could move any more, and the
          last steps *)
}

val run :
  Random.State.t ->
  ?prepare:(Machine.state -> unit) ->
  Machine.t ->
  steps:int ->
  outcome
(** Events begin at random, also balancing, and steps of what is under way are
    taken at random; then all is brought to its end. [prepare] may set
    attributes first. *)
