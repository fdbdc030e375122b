(** Making a task or a fiber runnable: handing a kernel task to the hub of its
    run. Owner of a fiber's [task]. Internal. Any thread may call the functions,
    which do not wait. *)

open Types

val task : run -> Dromos_hub.Hub.reason -> kernel_task -> unit
(** If the caller serves the run, the calling worker pushes the task; otherwise
    the task goes to the injector. *)

val to_all : run -> Dromos_hub.Hub.reason -> kernel_task -> unit
(** The task goes to the injector, which all workers share. An idle worker would
    find a task in a private deque only after the deque's owner reached its next
    poll. *)

val at :
  int ->
  worker ->
  Dromos_hub.Hub.reason ->
  ((Dromos_kernel.Pool.context -> unit) -> kernel_task) ->
  (Dromos_kernel.Pool.context -> unit) ->
  unit
(** [at place worker reason make code] is {!val-task} for [make code], in the
    run of [worker]; if [place] is not negative, only worker [place] can run the
    task. *)

val fiber :
  ?at:int ->
  worker ->
  Dromos_hub.Hub.reason ->
  fiber ->
  (Dromos_kernel.Pool.context -> unit) ->
  unit
(** The fiber's next kernel task, for worker [at], or as the fiber is pinned. *)

val ask_for_workers : run -> unit
(** Has a vacant role filled, after something was published. *)

(** {1 Kernel tasks} *)

val first : (kernel_task -> Dromos_kernel.Pool.context -> unit) -> kernel_task
(** A fresh task, whose code gets the task itself as an argument, for
    {!Start.fiber}. *)
