(** Dromos beside Domainslib: each waits for the other. The interface is that of
    [Dromos_eio].

    - In a Domainslib task: {!wrap} lets it wait for any structure of
      [Dromos_sync]; {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_domainslib} runs Domainslib code and waits for it.

    Domainslib knows no cancellation: a task waits until it is woken.

    Tested against Domainslib 0.5.2. *)

(** {1 In a Domainslib task} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. In it whatever waits through {!Dromos_suspend} suspends
    the calling task alone, and its domain takes other tasks of the pool. It is
    woken from any domain, systhread or scheduler. To be called in a task, that
    is inside [Task.run].

    Every task has handlers of its own: one started inside [wrap] is wrapped by
    itself. {!run} and {!async} do it; iterations of [Task.parallel_for] need a
    [wrap] where they wait. *)

val run : Domainslib.Task.pool -> (unit -> 'a) -> 'a
(** [Task.run pool (fun () -> wrap f)]. *)

val async : Domainslib.Task.pool -> (unit -> 'a) -> 'a Domainslib.Task.promise
(** [Task.async pool (fun () -> wrap f)]. *)

val offload :
  Domainslib.Task.pool -> ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload tasks f] has [f] run as a Dromos fiber, on another domain; the task
    waits, and its domain takes other tasks. [f] runs in a scope of its own:
    [offload] returns when all that it started is over. [tasks] is the pool that
    {!in_domainslib} starts tasks in, as a rule the caller's own.

    To be called in a task. Raises {!Dromos.Runtime.Stopped}. [Dromos.run]
    itself raises [Dromos.Misplaced] in a task, whose domain it would block. *)

val default_pool : unit -> Dromos.Runtime.t
(** The one that {!offload} uses; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_domainslib : (unit -> 'a) -> 'a
(** [in_domainslib f] runs [f] as a new task of the pool that was given to the
    {!offload} of the caller, and waits for it; or, anywhere, of that of
    {!with_loop}. A caller that is cancelled leaves when the task is over.

    Raises [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val with_loop :
  ((Domainslib.Task.pool -> unit) -> unit) -> (Domainslib.Task.pool -> 'a) -> 'a
(** [with_loop run f] is [f pool], while [run] runs Domainslib on a domain of
    its own: it has to call its argument with a pool, in a task of that pool.

    {[
      let run main =
        let pool = Task.setup_pool ~num_domains:2 () in
        Task.run pool (fun () -> main pool);
        Task.teardown_pool pool
    ]}

    Raises [Dromos.Misplaced] while another [with_loop] goes on. *)
