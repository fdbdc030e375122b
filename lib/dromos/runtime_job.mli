(** One task of a {!Runtime}, from its acceptance to its end, which is told to
    one function exactly once, whatever happens: the task runs, is cancelled
    before or after it began, or its run stops under it. Internal. Lock-free. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

type ending = Runtime_figures.ending
(** What its end means for the figures and for reports: [Cancelled] only if
    somebody cancelled it and it left with [Dromos.Cancelled]. *)

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
(** It will not run any more. [cancelled]: all tasks of its runtime are. *)

val cancel : 'a t -> bool
(** Before it begins: it never does, and is over now. While it runs: its scope
    is cancelled. [false] if it was over. From anywhere. *)
