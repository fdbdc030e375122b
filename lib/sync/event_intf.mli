(** The interface of {!Event} for programs. *)

module type S = sig
  type 'a t

  val sync : 'a t -> 'a
  (** Carries out the operation. Cancellable: if the task is cancelled before
      the operation has taken place, the operation does not take place. *)

  val select : 'a t list -> 'a
  (** [sync (choose events)]. *)

  val poll : 'a t -> 'a option
  (** {!sync} if the operation is possible without waiting, and [None]
      otherwise. *)

  (** {1 Building} *)

  val choose : 'a t list -> 'a t

  val wrap : 'a t -> ('a -> 'b) -> 'b t
  (** [wrap e f] calls [f] after the operation, in the task that synchronizes.
  *)

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

  exception Timeout
  (** An operation with [?timeout] took longer than the timeout, and did not
      take place. *)
end
