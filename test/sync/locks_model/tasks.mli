(** Tasks of a scheduler for the model checker, for one exploration. The thread
    that resumes a task also continues the task, at once or after its own code.
*)

exception Cancelled

type t

val reset : now:bool -> unit
(** Prepares a new execution; [now] tells whether resumed tasks continue at
    once. *)

val make : unit -> t

val run : t -> (unit -> unit) -> unit -> unit
(** A thread that runs the task. Any exception except {!Cancelled} is kept for
    {!asleep}, since the model checker stops at no exception. *)

val cancel : t -> unit

val thread : (unit -> unit) -> unit -> unit
(** A thread without a task, which may resume tasks. *)

val wrong : exn option ref
(** The exception of a task. *)

val asleep : unit -> int
(** The number of tasks not resumed, for the check at the end. Raises the
    exception of a task. *)
