(** A kind of task, with its runner. *)

type 'a result = ('a, exn) Stdlib.result

type start = {
  start : 'a. Step.forms -> 'a Step.t -> ('a result -> unit) -> unit -> unit;
      (** [start forms program finished] runs the program as a task of its own
          and returns at once. [finished] is called once, from the task's
          thread. The result cancels the task, from anywhere, if that is
          possible for this kind. *)
}

type t = {
  name : string;
  direct : bool;
      (** its tasks can wait in direct style, as those of most kinds *)
  cancellable : bool;  (** by its own scheduler's means *)
  is_cancelled : exn -> bool;
  start : start;
  stop : unit -> unit;  (** ends the runner, when its tasks are over *)
}

type kind = { kind : string; direct : bool; make : Random.State.t -> t }
(** How to start a runner; [direct] as above. *)

(** {1 Cancelling by a handle that is known late} *)

type 'h late

val late : ('h -> unit) -> 'h late
(** From how to cancel. *)

val known : 'h late -> 'h -> unit
(** Once. Cancels if that was asked for before. *)

val cancel : 'h late -> unit
