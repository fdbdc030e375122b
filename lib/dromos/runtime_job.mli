(** One task of a {!Runtime}, from its acceptance to its end. The function
    [over] is called exactly once with the end: the task ran, was cancelled
    before or after its beginning, or its run was interrupted. Internal.
    Lock-free. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

type ending = Runtime_figures.ending
(** The task's end, for the figures and for reports: [Cancelled] only if the
    task was cancelled and left with [Dromos.Cancelled]. *)

type 'a t

val make :
  figures:Runtime_figures.cell ->
  over:(ending -> 'a outcome -> unit) ->
  left_queue:(unit -> unit) ->
  (unit -> 'a) ->
  'a t
(** Counts the task as accepted. [left_queue] is called when the task begins, or
    is cancelled in the queue. [over] is called at the end of the task, after
    the figures are updated. The two functions must not raise. *)

val run : 'a t -> unit
(** Runs the task, in a scope of its own. Called by a fiber. Does nothing if the
    task was cancelled before. Does not raise. The fiber must call {!finish}
    next. *)

val finish : 'a t -> cancelled:bool -> unit
(** Ends the task, if it has not ended. [cancelled]: all tasks of the runtime
    were cancelled. *)

val cancel : 'a t -> bool
(** A task in the queue is over at once, and never begins; the scope of a task
    that runs is cancelled. [false] if the task was over. Any thread may call
    [cancel]. *)
