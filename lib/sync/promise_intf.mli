(** The interface of {!Promise} for programs. *)

module type S = sig
  type 'a t

  val create : ?name:string -> unit -> 'a t
  (** A pending promise. [name] appears in reports of deadlocks. *)

  val return : 'a -> 'a t
  (** A promise already resolved with a value. *)

  val await : 'a t -> 'a
  (** Returns the value, once the promise has a value, or raises the promise's
      exception with its backtrace. Suspends while the promise is pending. *)

  val result : 'a t -> ('a, exn * Printexc.raw_backtrace) result
  (** Like {!await}, but returns a failure as a value. (A cancellation of the
      caller is still raised.) *)

  val await_for : float -> 'a t -> 'a
  (** [await_for seconds t] is {!await}, but raises {!Event.Timeout} after
      [seconds] seconds. The promise stays as it is, and can be awaited again; a
      task that computes the promise goes on. The [start] of
      {!Dromos_sync.Author.Promise.on_demand} is not called. If the promise is
      already resolved, the result is returned whatever [seconds] is. (Other
      structures have an optional argument [timeout]; with such an argument of
      [await], [List.map Promise.await] would not compile in some places.) *)

  val result_for : float -> 'a t -> ('a, exn * Printexc.raw_backtrace) result
  (** {!result} with a time limit, as {!await_for}. *)

  val await_event : 'a t -> 'a Event.t
  (** {!await} as an event: to wait for the first of several promises, or no
      longer than some time ({!Event.within}). A failure is raised where the
      event is synchronized. The event does not call the [start] of
      {!Dromos_sync.Author.Promise.on_demand}: a task that runs in the middle of
      a select may wait for another branch of the select. *)

  val peek : 'a t -> ('a, exn * Printexc.raw_backtrace) result option
  (** The result if the promise is resolved; never blocks. *)

  val is_resolved : 'a t -> bool

  val is_awaited : 'a t -> bool
  (** [is_awaited t] is [true] if a task waits for the result, by {!await} or
      {!result}, or has read it: an exception in [t] has, or will have, a
      reader. A reader that was cancelled or timed out does not count. *)

  val resolve : 'a t -> 'a -> unit
  (** Resolves with a value. Raises [Invalid_argument] if the promise is already
      resolved. *)

  val fail : 'a t -> exn -> Printexc.raw_backtrace -> unit
  (** Resolves with an exception. Raises [Invalid_argument] if the promise is
      already resolved. *)

  val try_resolve : 'a t -> ('a, exn * Printexc.raw_backtrace) result -> bool
  (** Resolves the promise if it is pending; [false] if it was resolved already.
      Wakes every waiter, in order of arrival. *)

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

      No task runs for these promises. The thread that resolves the source
      promises resolves the derived promise too, or the caller does so at once
      if the sources are resolved. The functions given to [map] and [on_result]
      must therefore be short, and must not wait (an attempt raises
      [Dromos.Misplaced]); put a computation into a task
      ([async (fun () -> f (await p))]). A failure passes on with its backtrace.
      Awaiting the derived promise counts as awaiting the failed source
      ({!is_awaited}); a failure without a reader is still reported. A waiter
      that is cancelled leaves the derived promise as it is. Each function takes
      O(1) time and room per source promise. *)

  val map : ('a -> 'b) -> 'a t -> 'b t
  (** [map f t] calls [f] once, even if no task awaits the result. An exception
      of [f] is the failure of the new promise. *)

  val both : 'a t -> 'b t -> ('a * 'b) t
  (** Both values. Failures come as from awaiting one promise after the other: a
      failure of the first promise at once, a failure of the second promise when
      the first promise has a value. *)

  val all : 'a t list -> 'a list t
  (** All values, in order. Failures come as from {!both}. *)

  val on_result :
    'a t -> (('a, exn * Printexc.raw_backtrace) result -> unit) -> unit
  (** [on_result t f] has [f] called once with the result. If [t] is resolved,
      the caller calls [f] at once. Otherwise the thread that resolves [t] calls
      [f]; waiters and callbacks are served in order of arrival. [t] counts as
      awaited. An exception of [f] is reported ({!Dromos_service.Reporter}) and
      goes no further. *)
end
