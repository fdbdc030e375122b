(** Tasks of a scheduler for the model checker: those of one exploration. A
    resumed task goes on in the thread that resumed it, at once or when that one
    has nothing else to do. *)

exception Cancelled

type t

val reset : now:bool -> unit
(** For a new execution; [now] says when resumed tasks go on. *)

val make : unit -> t

val run : t -> (unit -> unit) -> unit -> unit
(** A thread that runs the task. An exception, other than {!Cancelled}, is kept
    for {!asleep}, since the model checker stops at none. *)

val cancel : t -> unit

val thread : (unit -> unit) -> unit -> unit
(** A thread without a task, which may resume some. *)

val wrong : exn option ref
(** What a task raised. *)

val asleep : unit -> int
(** To be checked at the end: tasks that were not resumed. Raises what a task
    raised. *)
