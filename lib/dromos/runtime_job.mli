(** One task of a {!Runtime}, from its acceptance to its end. One function is
    told the end, exactly once: the task ran, was cancelled before or after it
    began, or its run was interrupted. Internal. Lock-free. *)

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
(** Counts as accepted from here on. [left_queue] is called when it begins, or
    is cancelled before that; [over] when it is over, after the figures know.
    Neither may raise. *)

val run : 'a t -> unit
(** The task, in a scope of its own, by a fiber; nothing if it was cancelled
    before. Does not raise. To be followed by {!finish}. *)

val finish : 'a t -> cancelled:bool -> unit
(** The task will not run any more. [cancelled] says that all tasks of the
    runtime were cancelled. *)

val cancel : 'a t -> bool
(** A task that has not begun never does, and is over at once; the scope of a
    task that runs is cancelled. [false] if the task was over. From anywhere. *)
