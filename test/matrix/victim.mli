(** A task, cancelled in each state of an operation. *)

type state = Before | Waiting | Race | Served

val each : string -> (state -> 'a) -> (string * 'a) list
(** A scenario for each state, with the name of the cancelled task. *)

val run :
  ?plain:bool ->
  Env.t ->
  state ->
  Party.t ->
  unit Step.t ->
  server:((unit -> unit) -> 's) ->
  bool * 's option
(** [run env state party program ~server] starts a task with the program and
    cancels the task: before its operation; while it waits; while [server _]
    serves it; or after it was served (then [server cancel] has to call
    [cancel]). [server] is called in the last two states only. [run] waits for
    the task's end; returns whether the task ended by its cancellation, and the
    result of [server]. [plain] is for programs without events. *)
