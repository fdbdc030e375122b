(** Workers: the roles of a run, and which thread acts for each. Owner of
    [kernel], [local], [stop_requested], [over_quota], [resting] and [written].
    Internal.

    {v
      vacant  --assigned--> serves  --found_task--> serves
      serves  --rests-----> resting --found_task--> serves
      serves, resting --ask_to_leave--> leaves at the end of its task
    v} *)

open Types

val make :
  run -> int -> unbegun:own -> waiters:(fiber, Info.holder) Registry.t -> worker
(** A vacant worker. *)

val kernel : worker -> Dromos_kernel.Pool.context
(** The worker's kernel context. Raises [Invalid_argument] before the worker's
    first task. *)

val of_task : run -> Dromos_kernel.Pool.context -> worker
(** The worker of the run that a kernel task runs on; called at the start of the
    task, by the task. The worker does not rest, and may have output that is not
    written. *)

val acts : worker -> local -> unit
(** This thread acts for the worker from now on. Called by the thread that acts,
    or by the thread that takes over, before either uses the hub. *)

val is_served : worker -> bool

(** {1 Between tasks} *)

val rests : worker -> unit
(** The worker has found no work. Called by the worker. *)

val is_written : worker -> unit
(** The output of the worker's tasks is written. *)

(** {1 Leaving}

    {!assigned} and {!ask_over_quota} are called with the lock of {!Roster}. *)

val assigned : worker -> unit
(** A domain is about to serve the worker's role. *)

val ask_to_leave : worker -> unit
(** Asks a borrowed worker to leave its role after its task. Any thread may call
    the function; the caller then wakes the worker. *)

val ask_over_quota : worker -> unit
(** {!ask_to_leave}, although there may be work: more workers run than the bound
    allows. *)

val answers_request : worker -> unit
(** The worker stopped serving, and takes notice of the request to leave. *)
