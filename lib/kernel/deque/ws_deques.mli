(** A set of work-stealing deques, one for each worker: what a work-stealing hub
    is built on. Three realizations, {!Public}, {!Private_} and {!Dealing}, one
    signature.

    {b Roles.} "Worker [i]" is the one thread that currently serves as worker
    [i]; operations that take [i] or [~thief] are its own, one at a time. None
    blocks, none raises.

    {b Asking.} In public deques a thief takes what it finds, and is never
    waiting for an answer. In private deques it can only ask: {!S.steal} leaves
    a request with the victim and returns [None]; the victim answers at its next
    operation or {!S.tick}; the thief collects the answer at a later {!S.steal}.
    In between it may do what it likes except retire, before which it must
    {!S.withdraw}; it may sleep only if its victim will notify it. Where workers
    deal, it asks all of them at once, whichever victim it names.

    {b What is stolen.} One item, the oldest: {e steal-half} is out, since the
    oldest task of a fork tree is about half of the work anyway and moving a
    batch costs public deques their compare-and-set on a single index (flat sets
    of tasks are for loops to split lazily). {e Continuation stealing} is out at
    this level, which moves values of any type: whether a value is a child or a
    continuation is up to whoever pushes it. *)

module type S = sig
  type 'a t

  val create : workers:int -> dummy:'a -> 'a t
  (** Empty deques for workers [0 .. workers - 1]. [dummy] is never returned. *)

  val workers : 'a t -> int

  (** {1 For the owner} *)

  val push : 'a t -> int -> 'a -> unit
  (** Worker [i] adds an item to its deque. *)

  val pop : 'a t -> int -> 'a option
  (** Worker [i] takes its newest item; [None] only if it had none. *)

  val size : 'a t -> int -> int
  (** How many items worker [i] has, when it asks itself. *)

  val is_empty : 'a t -> int -> bool

  val tick : 'a t -> int -> unit
  (** Worker [i] is at a safe point: it answers a thief, if one has asked. *)

  val block : 'a t -> int -> unit
  (** Worker [i] is about to sleep or to retire and will answer no one: a
      pending request is refused, later ones are not accepted. Items it still
      has stay its own; a worker that retires takes them out first. Lasts until
      {!unblock} or the next {!push}. *)

  val unblock : 'a t -> int -> unit

  (** {1 For thieves} *)

  val steal : 'a t -> thief:int -> victim:int -> 'a option
  (** Worker [thief] tries to get the oldest item of another worker. Private
      deques: collects an answer that has come (from whichever victim); else, if
      it waits for another victim, withdraws that request; then, if it waits for
      nobody, leaves a request with [victim], if that one accepts requests. *)

  val waits_for_answer : 'a t -> int -> bool
  (** Worker [i] has left a request and not yet collected the answer. *)

  val withdraw : 'a t -> int -> 'a option
  (** Takes back worker [i]'s request, or collects the item that has been handed
      over for it. If {!waits_for_answer} still holds the victim is about to
      answer (a few instructions away): call again. *)

  (** {1 From anywhere} *)

  val may_have : 'a t -> int -> bool
  (** Whether worker [i] has something to steal: a hint, exact when nothing
      moves. *)
end
