(** The code shared by the bridges to schedulers in direct style (Eio, Picos,
    Domainslib, Miou): a task of the {e host} offloads a function to a Dromos
    runtime, and the function runs code in the host. For bridges.

    {!offload} submits the function and then serves a mailbox: each message is
    an action for the host's task. The end of the function closes the mailbox.
    The host needs no thread or task of its own for this, and all work started
    by an [offload], on either side, is over when [offload] returns. *)

(** {1 A bridge's pool, one for the process} *)

type keeper

val keeper : name:string -> keeper

val kept : keeper -> Dromos.Runtime.t
(** The runtime of the keeper. The first call starts the runtime, and so does
    the first call after the runtime was stopped, with [DROMOS_WORKERS] workers,
    or without the variable one fewer than [Dromos.default_workers ()], since
    the host's domain is busy too. Callable from any thread. *)

(** {1 Both ways} *)

type task = {
  run : unit -> unit;
      (** the task's function, with a [wrap] of the task's own; raises nothing
      *)
  drop : unit -> unit;
      (** called in place of [run] if the task will never run *)
}

type host = {
  wrap : 'a. (unit -> 'a) -> 'a;
      (** calls the function, and answers the waits of Dromos's structures in it
      *)
  shield : 'a. (unit -> 'a) -> 'a;
      (** calls the function, with the host's cancellation of the caller put off
      *)
  fork : task -> unit -> unit;
      (** Starts a task beside the caller's task, and returns a function that
          cancels the task. The function is called in the caller's task, perhaps
          after the new task is over. The host calls exactly one of [run] and
          [drop], even if the task is cancelled before it begins. Raises where
          no task can be started. *)
  leave : (unit -> unit) option;
      (** [None] if a cancelled task may wait in [shield]. Otherwise [offload]
          calls this function and leaves, and performs no further effect; later
          requests for the host get [Misplaced]. *)
}

type t
(** A kind of host. *)

val make : name:string -> inside:string -> outside:string -> t
(** [name] is the name of the default pool. [inside] (the bridge's function that
    runs {!within_host}) and [outside] (the functions that make {!within_host}
    possible) appear in error messages. *)

val default_pool : t -> Dromos.Runtime.t
(** {!kept}. *)

val offload : t -> host -> ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** Callers are tasks of the host. If the task is cancelled, the function is
    cancelled too, and [offload] raises the host's exception after the function
    and all its tasks are over. Raises {!Dromos.Runtime.Stopped}. *)

val no_task : call:string -> string -> 'a
(** Raises [Misplaced]: [call], an [offload], needs a caller of the given kind.
*)

val within_host : t -> (unit -> 'a) -> 'a
(** Runs a function as a task of the host and waits for the result. Callers are
    the function of an {!offload}, fibers started by that function, and any task
    while {!serving} is active. If the caller is cancelled, the task is
    cancelled too, and the caller leaves when the task is over. Raises
    [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val serving : t -> loop:((host -> unit) -> unit) -> (unit -> 'a) -> 'a
(** [serving t ~loop f] is [f ()] while [loop (fun host -> ..)] runs on a domain
    of its own. [loop] has to call its argument once, in a task of the host; the
    call returns when [f] is over. If the host cancels the task and the call
    ends earlier, {!within_host} raises [Dromos.Misplaced] from then on.

    Raises the exception of [loop], even if [f] has raised too, since the
    failure of [f] is often a consequence. Raises [Invalid_argument] if [loop]
    returns without the call. Raises [Dromos.Misplaced] while another [serving]
    of the same host is active. *)
