(** A kind of task, with its runner. *)

type 'a result = ('a, exn) Stdlib.result

type start = {
  start : 'a. Step.forms -> 'a Step.t -> ('a result -> unit) -> unit -> unit;
      (** [start forms program finished] runs the program as a task of its own
          and returns at once. The task's thread calls [finished] once. The
          result of [start] cancels the task, from any thread, if the kind can
          cancel. *)
}

type t = {
  name : string;
  direct : bool;  (** the tasks can wait in direct style, as in most kinds *)
  cancellable : bool;  (** the kind's own scheduler can cancel *)
  is_cancelled : exn -> bool;
  start : start;
  stop : unit -> unit;  (** ends the runner, after the end of its tasks *)
}

type kind = { kind : string; direct : bool; make : Random.State.t -> t }
(** How to start a runner; [direct] as above. *)

(** {1 Cancelling by a handle that becomes known later} *)

type 'h late

val late : ('h -> unit) -> 'h late
(** [late cancel], where [cancel] is the function that cancels by a handle. *)

val known : 'h late -> 'h -> unit
(** Sets the handle, once. Cancels at once if [cancel] was called before. *)

val cancel : 'h late -> unit
