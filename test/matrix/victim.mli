(** A task that is cancelled in each state of its operation. *)

type state = Before | Waiting | Race | Served

val each : string -> (state -> 'a) -> (string * 'a) list
(** A scenario for each state, with the name of who is cancelled. *)

val run :
  ?plain:bool ->
  Env.t ->
  state ->
  Party.t ->
  unit Step.t ->
  server:((unit -> unit) -> 's) ->
  bool * 's option
(** [run env state party program ~server] starts a task with the program and
    cancels it: before it comes to its operation; while it waits; while
    [server _] serves it; after it was served ([server cancel] is to call
    [cancel] then). [server] is called in the last two states only. Waits for
    the task's end; tells whether it ended by being cancelled, and what [server]
    returned. [plain] for programs without events. *)
