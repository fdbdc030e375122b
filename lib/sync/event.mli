(** First-class synchronous operations (Concurrent ML's events).

    An ['a Event.t] describes an operation that may have to wait: receiving from
    a channel, locking a mutex, awaiting a promise, a time-out. {!sync} carries
    out the operation. {!choose} makes one event of several: the new event
    carries out exactly one of the operations, the first that is possible, and
    leaves the others undone. Every blocking operation of this library has an
    event named after the operation, with the suffix [_event].

    {[
      # open Dromos_sync
      # let a = Channel.create () and b = Channel.create () in
        let d = Domain.spawn (fun () -> Channel.send b 42) in
        let v =
          Event.sync
            (Event.choose
               [
                 Event.wrap (Channel.recv_event a) (fun n -> `A n);
                 Event.wrap (Channel.recv_event b) (fun n -> `B n);
                 Event.wrap (Event.timeout 10.) (fun () -> `Late);
               ])
        in
        Domain.join d;
        v
      - : [> `A of 'a | `B of int | `Late ] = `B 42
    ]}

    Events are values: any task may synchronize on an event, many times.
    Synchronizing from a task suspends only the task; from a plain thread, it
    parks the thread; for callers of another kind (Lwt) see {!start}.

    {b Fairness}: of several operations that are possible at once, each has the
    same chance. Operations that wait queue in their structures like all other
    waiters. {b Cost}: linear in the number of branches.

    Sources: Reppy, {e Concurrent Programming in ML}; {!Waiter} explains how a
    select is decided. *)

type 'a t

val sync : 'a t -> 'a
(** Carries out the operation. Cancellable: if the task is cancelled before the
    operation has taken place, the operation does not take place. *)

val select : 'a t list -> 'a
(** [sync (choose events)]. *)

val poll : 'a t -> 'a option
(** {!sync} if the operation is possible without waiting, and [None] otherwise.
*)

(** {1 Building} *)

val choose : 'a t list -> 'a t

val wrap : 'a t -> ('a -> 'b) -> 'b t
(** [wrap e f] calls [f] after the operation, in the task that synchronizes. *)

val wrap_error : 'a t -> (exn -> 'a) -> 'a t
(** [wrap_error e f] applies [f] to an exception of the operation, or of a
    {!wrap} inside. An exception of [f] is raised. [f] does not see the
    cancellation of the synchronizing task. *)

val guard : (unit -> 'a t) -> 'a t
(** [guard f]: each {!sync} calls [f], in the task, to make the event. *)

val with_nack : (unit t -> 'a t) -> 'a t
(** Like {!guard}. The function is given an event that becomes possible, for
    ever, when the synchronization is over and chose a branch outside the
    guarded event, or was cancelled. *)

val never : 'a t
val always : 'a -> 'a t

val timeout : float -> unit t
(** [timeout seconds] is possible once [seconds] seconds have passed since the
    synchronization began, and at once if [seconds] is not positive. In the
    latter case another possible branch is chosen with equal chance only;
    {!poll} never waits. Raises [Invalid_argument] on nan. *)

val within : float -> 'a t -> 'a option t
(** [within s e] is [e], or [None] after [s] seconds. *)

(** {1 For schedulers without {!Dromos_suspend.Suspend}} *)

val start : 'a t -> ((unit -> 'a) -> unit) -> unit -> bool
(** [start e f] synchronizes for a caller that cannot suspend. Guards run now,
    in the caller. [f] is called exactly once, by the thread that serves the
    event, possibly before [start] returns. [f] gets a function that runs the
    {!wrap}s and returns the result, or raises. [f] must not wait (an attempt
    raises [Dromos.Misplaced] in [f]), and must not raise. The result of [start]
    is a function that cancels; [true] means that [f] will not be called. *)

(** {1 For structures} *)

exception Timeout
(** An operation with [?timeout] took longer than the timeout, and did not take
    place. *)

val of_source : 'a Waiter.source -> 'a t

val on_nack : 'a t -> (unit -> unit) -> 'a t
(** [on_nack e f] is {!with_nack} with a callback. [f] must neither wait nor
    raise. *)

val once_source :
  reason:string -> 'b Once.t -> ('b -> 'a Waiter.outcome) -> 'a Waiter.source
(** A source that is possible once the cell is closed. A waiter listens to the
    cell only after [enlist], so the listener is always removed by the result of
    [enlist]. *)

val of_once : reason:string -> 'b Once.t -> ('b -> 'a Waiter.outcome) -> 'a t
(** {!once_source} as an event. *)

val wait : ?timeout:float -> 'a Waiter.source -> 'a
(** [wait source] carries out a plain operation, and raises {!Timeout} after
    [timeout] seconds. An operation that is possible without waiting is carried
    out whatever the timeout: with [0.], [wait] does not wait. *)

val reason : string -> string option -> string
(** [reason operation name], for {!Waiter.source}: ["Mutex.lock on log"]. *)
