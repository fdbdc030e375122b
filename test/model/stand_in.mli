(** The parts of a stand-in for a scheduler that the traced copies of modules
    see: tasks are code of the model checker's threads. *)

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool

(** {1 Suspending} *)

type slot
(** The place where the cancellation of a task's wait is kept. *)

val slot : unit -> slot

val cancel : slot -> bool
(** Cancels the wait, as another thread does; [false] if the cancellation came
    too early or too late. *)

val suspend :
  ?slot:slot ->
  cancelled:exn ->
  sleeps:(unit -> unit) ->
  wakes:(unit -> unit) ->
  ?runs:((unit -> unit) -> unit) ->
  ('a resumer -> 'a option) ->
  ('a, unit) Effect.Deep.continuation ->
  unit
(** Handles a suspension. The first resumption wins, if a [slot] is given;
    without, a second resumption is {!wrong}. [sleeps ()] is called when the
    task waits, [wakes ()] when the task is resumed. [runs continue] runs the
    resumed task, in the thread that resumes it; at once, unless given. *)

(** {1 Threads} *)

type _ Effect.t += Later : (unit -> unit) -> unit Effect.t

val thread : (unit -> unit) -> unit -> unit
(** Runs a function, and then the functions that it has performed [Later] with,
    in order. *)

(** {1 Errors} *)

val wrong : string -> unit
(** An error in a thread, which is reported when all threads are over. *)

val checked : (unit -> 'a) -> unit -> 'a
(** [checked check] is the check at the end of a scenario: it fails if a thread
    has reported an error by {!wrong}, and runs [check] otherwise. *)

val start : unit -> unit
(** Forgets the errors of the last execution. *)
