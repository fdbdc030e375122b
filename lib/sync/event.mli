(** First-class synchronous operations (Concurrent ML's events).

    An ['a Event.t] describes an operation that may have to wait: receiving from
    a channel, locking a mutex, awaiting a promise, a time-out. {!sync} carries
    it out; {!choose} makes of several events one that carries out exactly one
    of them, whichever is possible first, and leaves the others undone. Every
    blocking operation of this library has an event of the same name with
    [_event] behind it.

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

    Events are values: they may be synchronized on many times, by any task.
    Synchronizing from a task suspends that task only, from a plain thread it
    parks the thread, from elsewhere (Lwt) see {!start}.

    {b Fairness}: of several operations that are possible at once each is chosen
    with equal chance; those that wait stand in the queues of their structures
    like everybody else. {b Cost}: linear in the number of branches.

    Sources: Reppy, {e Concurrent Programming in ML}; how choices are decided:
    {!Waiter}. *)

type 'a t

val sync : 'a t -> 'a
(** Carries out the operation. Cancellable: an operation whose task is cancelled
    before it took place does not take place. *)

val select : 'a t list -> 'a
(** [sync (choose events)]. *)

val poll : 'a t -> 'a option
(** {!sync} if that is possible without waiting. *)

(** {1 Building} *)

val choose : 'a t list -> 'a t

val wrap : 'a t -> ('a -> 'b) -> 'b t
(** The function runs after the operation, in the task that synchronizes. *)

val wrap_error : 'a t -> (exn -> 'a) -> 'a t
(** The function is applied to an exception of the operation or of a {!wrap}
    inside; what it raises itself is raised. Cancellation of the synchronizing
    task does not pass through it. *)

val guard : (unit -> 'a t) -> 'a t
(** The function is called, in the task, by each {!sync}, to make the event. *)

val with_nack : (unit t -> 'a t) -> 'a t
(** Like {!guard}; the function is given an event that becomes possible, for
    ever, when the synchronization is over and chose something that is not part
    of this event, or was cancelled. *)

val never : 'a t
val always : 'a -> 'a t

val timeout : float -> unit t
(** Possible once that many seconds have passed since synchronization began. At
    once if not positive: then what is possible beside it is chosen with equal
    chance only, and {!poll} is what does not wait. Raises [Invalid_argument] on
    nan. *)

val within : float -> 'a t -> 'a option t
(** [within s e] is [e], or [None] after [s] seconds. *)

(** {1 For schedulers without {!Dromos_suspend.Suspend}} *)

val start : 'a t -> ((unit -> 'a) -> unit) -> unit -> bool
(** [start e f] synchronizes for a party that is called back: guards run now, in
    the caller; [f] is called exactly once, from whatever thread serves the
    event, possibly before [start] returns, with a function that gives the
    result, or raises, after running the {!wrap}s. [f] must neither wait (an
    attempt raises [Dromos.Misplaced] in it) nor raise. The result of [start]
    cancels: [true] if [f] will not be called. *)

(** {1 For structures} *)

exception Timeout
(** An operation with [?timeout] took longer than that, and did not take place.
*)

val of_source : 'a Waiter.source -> 'a t

val on_nack : 'a t -> (unit -> unit) -> 'a t
(** {!with_nack} as a callback, which must neither wait nor raise. *)

val once_source :
  reason:string -> 'b Once.t -> ('b -> 'a Waiter.outcome) -> 'a Waiter.source
(** Possible once the cell is closed. Cells listen by [enlist] only, so that
    there is always somebody to leave for them. *)

val of_once : reason:string -> 'b Once.t -> ('b -> 'a Waiter.outcome) -> 'a t
(** {!once_source} as an event. *)

val wait : ?timeout:float -> 'a Waiter.source -> 'a
(** A plain operation; raises {!Timeout} after that many seconds. What is
    possible without waiting is done whatever the timeout, so that [0.] means
    not to wait. *)

val reason : string -> string option -> string
(** [reason operation name] for {!Waiter.source}: ["Mutex.lock on log"]. *)
