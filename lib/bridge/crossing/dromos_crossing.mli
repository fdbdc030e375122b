(** What the bridges to schedulers in direct style (Eio, Picos, Domainslib,
    Miou) share: a task of the {e host} has a function computed by a Dromos
    runtime, and that function has others run by the host. For bridges.

    {!offload} submits the function and then serves a mailbox: each message is
    something to do in the host's task. The function's end closes the mailbox.
    So a host needs no thread or task of its own for this, and all that an
    [offload] starts, on either side, is over when it returns. *)

(** {1 The process' pool of a bridge} *)

type keeper

val keeper : name:string -> keeper

val kept : keeper -> Dromos.Runtime.t
(** Started when first asked for, and again if it was stopped, with
    [DROMOS_WORKERS] workers, or one fewer than [Dromos.default_workers ()]
    without it, since the host's domain is busy too. From any thread. *)

(** {1 Both ways} *)

type task = {
  run : unit -> unit;
      (** the task's function, for a [wrap] of the task's own; raises nothing *)
  drop : unit -> unit;
      (** to be called in place of [run] if that will never be *)
}

type host = {
  wrap : 'a. (unit -> 'a) -> 'a;
      (** the caller's function, with waits of Dromos's structures answered *)
  shield : 'a. (unit -> 'a) -> 'a;
      (** the function, with the host's cancellation of the caller put off *)
  fork : task -> unit -> unit;
      (** Starts a task beside the caller's, and gives how to cancel the task
          (called in the caller's task, perhaps when the new task is over). The
          host sees to it that one of [run] and [drop] is called, also if the
          task is cancelled before it began. Raises where no task can be
          started. *)
  leave : (unit -> unit) option;
      (** [None]: a task that was cancelled may wait in [shield]. Elsewhere
          [offload] calls this and leaves, and performs no effect any more; what
          asks for the host then gets [Misplaced]. *)
}

type t
(** A kind of host. *)

val make : name:string -> inside:string -> outside:string -> t
(** [name] is that of the default pool; [inside] the bridge's function that runs
    {!within_host}, and [outside] what makes that possible, for messages. *)

val default_pool : t -> Dromos.Runtime.t
(** {!kept}. *)

val offload : t -> host -> ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** In a task of the host. If that is cancelled, the function is, and [offload]
    raises the host's exception when the function and all that it started are
    over. Raises {!Dromos.Runtime.Stopped}. *)

val no_task : call:string -> string -> 'a
(** Raises [Misplaced]: [call], an [offload], wants a caller of this kind. *)

val within_host : t -> (unit -> 'a) -> 'a
(** In the function of an {!offload}, in fibers that it started, and anywhere
    while {!serving} goes on: has the function run as a task of the host, and
    waits for it. If the caller is cancelled, the task is, and the caller leaves
    when the task is over. Raises [Dromos.Misplaced] elsewhere, or if the
    [offload] is over. *)

val serving : t -> loop:((host -> unit) -> unit) -> (unit -> 'a) -> 'a
(** [serving t ~loop f] is [f ()] while [loop (fun host -> ..)] runs on a domain
    of its own, in which [loop] has to call its argument once, in a task of the
    host; when [f] is over, that call returns. If the call is over before that,
    because the host cancels the task, {!within_host} raises [Dromos.Misplaced]
    from then on.

    Raises what [loop] raises, also if [f] has raised something, often because
    of that; and [Invalid_argument] if [loop] returns without that call. Raises
    [Dromos.Misplaced] while another [serving] of this host goes on. *)
