(** Dromos beside Domainslib: tasks of either wait for the other. The interface
    is [Dromos_eio]'s.

    - In a Domainslib task: {!wrap} makes every structure of [Dromos_sync]
      suspend the task; {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_domainslib} runs Domainslib code and waits for the
      result.

    Domainslib knows no cancellation: a task waits until it is woken.

    Tested against Domainslib 0.5.2. *)

(** {1 In a Domainslib task} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. Inside [f], waiting for a structure of [Dromos_sync]
    suspends the calling task alone, and the domain takes other tasks of the
    pool. Any domain, systhread or scheduler may wake the task. Callers are
    tasks, inside [Task.run].

    Every task has handlers of its own: a task started inside [wrap] needs a
    [wrap] of its own. {!run} and {!async} wrap the tasks that they start;
    iterations of [Task.parallel_for] need a [wrap] where they wait. *)

val run : Domainslib.Task.pool -> (unit -> 'a) -> 'a
(** [Task.run pool (fun () -> wrap f)]. *)

val async : Domainslib.Task.pool -> (unit -> 'a) -> 'a Domainslib.Task.promise
(** [Task.async pool (fun () -> wrap f)]. *)

val offload :
  Domainslib.Task.pool -> ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload tasks f] has [f] run as a Dromos fiber, on another domain; the
    calling task waits, and the domain takes other tasks. [f] runs in a scope of
    its own, and [offload] returns when all tasks of the scope are over.
    {!in_domainslib} starts its tasks in the pool [tasks], as a rule the
    caller's own.

    Callers are tasks. Raises {!Dromos.Runtime.Stopped}. [Dromos.run] raises
    [Dromos.Misplaced] in a task, since the run would block the task's domain.
*)

val default_pool : unit -> Dromos.Runtime.t
(** The runtime used by {!offload}; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_domainslib : (unit -> 'a) -> 'a
(** [in_domainslib f] runs [f] as a new task and waits for the result. The task
    runs in the pool that was given to the caller's {!offload}; while
    {!with_loop} goes on, any other caller's [f] runs in the pool of
    [with_loop]. A caller that is cancelled leaves when the task is over.
    [Task.async] and the loops belong inside of [f] too: elsewhere in a Dromos
    fiber they end in an assertion of Domainslib's ([multi_channel.ml]).

    Raises [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val with_loop :
  ((Domainslib.Task.pool -> unit) -> unit) -> (Domainslib.Task.pool -> 'a) -> 'a
(** [with_loop run f] is [f pool], while [run] runs Domainslib on a domain of
    its own: [run] has to call its argument with a pool, in a task of that pool.

    {[
      let run main =
        let pool = Task.setup_pool ~num_domains:2 () in
        Task.run pool (fun () -> main pool);
        Task.teardown_pool pool
    ]}

    Raises [Dromos.Misplaced] while another [with_loop] goes on. *)
