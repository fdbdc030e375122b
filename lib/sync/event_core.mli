(** {!Dromos_sync.Event} with the operations for authors.

    @canonical Dromos_sync.Author.Event *)

include Event_intf.S

(** {1 For schedulers without {!Dromos_suspend.Suspend}} *)

val start : 'a t -> ((unit -> 'a) -> unit) -> unit -> bool
(** [start e f] synchronizes for a caller that cannot suspend. Guards run now,
    in the caller. [f] is called exactly once, by the thread that serves the
    event, possibly before [start] returns. [f] gets a function that runs the
    {!wrap}s and returns the result, or raises. [f] must not wait (an attempt
    raises [Dromos.Misplaced] in [f]), and must not raise. The result of [start]
    is a function that cancels; [true] means that [f] will not be called. *)

(** {1 For structures} *)

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
