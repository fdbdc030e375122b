(** A Dromos run of its own beside an Lwt program. Provisional: the bridge
    dromos-lwt takes its place. *)

type t

val start : workers:int -> t
(** A domain that enters [Dromos.run ~workers] and stays there until {!stop}. *)

val submit : t -> (unit -> 'a) -> 'a Dromos.Promise.t * (unit -> unit)
(** A task of that run, from any thread; and a function that cancels it. *)

val lwt : t -> (unit -> 'a) -> 'a Lwt.t
(** From Lwt's thread: the task's result; cancelling the promise cancels the
    task. *)

val stop : t -> unit
(** Waits for the tasks, then ends the run and its domain. *)
