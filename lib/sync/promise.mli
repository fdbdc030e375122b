(** Write-once cells that tasks of any scheduler can wait for.

    A promise is pending until it is resolved, once, with a value or with an
    exception and its backtrace. Waiting suspends the calling task only (or
    parks the thread, outside any scheduler): see {!Dromos_suspend}.

    All operations are lock-free and may be called from any domain, systhread or
    scheduler. Resolving happens before every await that returns.

    A waiter that is cancelled is removed at once in the sense that it costs
    nothing any more: its cell is cleared in O(1) and swept, so that a promise
    never holds more than twice its live waiters.

    Checked: dscheck (await, resolve and cancel in every order), qcheck-stm
    against a sequential model.

    {[
      # let p = Dromos_sync.Promise.create () in
        let d = Domain.spawn (fun () -> Dromos_sync.Promise.await p + 1) in
        Dromos_sync.Promise.resolve p 41;
        Domain.join d
      - : int = 42
    ]} *)

type 'a t

val create : ?name:string -> unit -> 'a t
(** A pending promise. [name] appears in reports of deadlocks. *)

val on_demand : 'a t -> (unit -> unit) -> unit
(** [on_demand t start] has [start] called by whoever is about to wait for the
    promise, in that task, until {!no_demand}. It may resolve the promise, and
    the caller then does not wait; it may as well do nothing. For schedulers: a
    task that has not started can be run by the one who needs it. To be called
    before the promise is shared. *)

val no_demand : 'a t -> unit
(** Forgets [start] (and what it holds on to). A call of it may be under way. *)

val return : 'a -> 'a t
(** A promise already resolved with a value. *)

val await : 'a t -> 'a
(** The value, once there is one; raises the promise's exception with its
    backtrace. Suspends while the promise is pending. *)

val result : 'a t -> ('a, exn * Printexc.raw_backtrace) result
(** Like {!await}, but returns a failure as a value. (A cancellation of the
    caller is still raised.) *)

val await_for : float -> 'a t -> 'a
(** [await_for seconds t] is {!await}, but raises {!Event.Timeout} after so many
    seconds. The promise stays as it is, and can be awaited again; a task behind
    it goes on. What {!on_demand} has left is not called. A promise that is
    resolved already is answered whatever the time. (An optional argument of
    [await], as other structures have it, would keep [List.map Promise.await]
    from compiling in some places.) *)

val result_for : float -> 'a t -> ('a, exn * Printexc.raw_backtrace) result
(** {!result}, likewise. *)

val await_event : 'a t -> 'a Event.t
(** {!await} as an event: to wait for the first of several promises, or no
    longer than some time ({!Event.within}). A failure is raised where it is
    synchronized. It does not call what {!on_demand} has left, since a task that
    is run in the middle of a choice may wait for one of its other branches. *)

val peek : 'a t -> ('a, exn * Printexc.raw_backtrace) result option
(** The result if there is one; never blocks. *)

val is_resolved : 'a t -> bool

val is_awaited : 'a t -> bool
(** Whether somebody has ever called {!await} or {!result}, so that an exception
    in it has, or will have, a reader. *)

val resolve : 'a t -> 'a -> unit
(** Raises [Invalid_argument] if the promise is already resolved. *)

val fail : 'a t -> exn -> Printexc.raw_backtrace -> unit
(** Resolves with an exception. Raises [Invalid_argument] if already resolved.
*)

val try_fulfil : 'a t -> ('a, exn * Printexc.raw_backtrace) result -> bool
(** Resolves unless that was already done; tells whether it did. Wakes every
    waiter, in the order in which they came. *)

(** {1 Promises from others}

    {[
      # open Dromos_sync
      # let width = Promise.create () and height = Promise.create () in
        let area =
          Promise.map (fun (w, h) -> w * h) (Promise.both width height)
        in
        Promise.resolve height 6;
        Promise.resolve width 7;
        Promise.await area
      - : int = 42
    ]}

    Nothing runs for these: they are resolved by whoever resolves the promises
    they are made from, in its stead, or at once if these are resolved. So what
    [map] and [on_result] are given must be short and must not wait (an attempt
    raises [Dromos.Misplaced]); a computation belongs into a task
    ([async (fun () -> f (await p))]). A failure passes on with its backtrace,
    and counts as awaited where the derived promise is awaited ({!is_awaited}):
    one that nobody reads is still told. A waiter that is cancelled leaves the
    derived promise as it is. Each is O(1) in time and room for each promise it
    is made from. *)

val map : ('a -> 'b) -> 'a t -> 'b t
(** The function is called once, also if nobody awaits the result. Its exception
    is the new promise's failure. *)

val both : 'a t -> 'b t -> ('a * 'b) t
(** Both values. Failures as by awaiting one after the other: that of the first
    promise as soon as it is there, that of the second one when the first has a
    value. *)

val all : 'a t list -> 'a list t
(** All values, in order; failures likewise. *)

val on_result :
  'a t -> (('a, exn * Printexc.raw_backtrace) result -> unit) -> unit
(** [on_result t f] has [f] called once with the result: at once by the caller
    if [t] is resolved, else by whoever resolves it, on its thread, in the order
    in which waiters and callbacks came. [t] counts as awaited. An exception of
    [f] is reported ({!Dromos_service.Reporter}) and goes no further. *)
