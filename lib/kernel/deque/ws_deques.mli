(** A set of work-stealing deques, one for each worker. Work-stealing hubs are
    built on such a set. Three modules implement the signature: {!Public},
    {!Private_} and {!Dealing}.

    {b Roles.} "Worker [i]" is the one thread that currently serves as worker
    [i]. Only worker [i] calls the operations that take [i] or [~thief], one at
    a time. No operation blocks or raises.

    {b Asking.} In public deques a thief takes the item that it finds, and never
    waits for an answer. In private deques a thief can only ask:
    - {!S.steal} leaves a request with the victim and returns [None].
    - The victim answers at its next operation or {!S.tick}.
    - The thief collects the answer at a later {!S.steal}.

    Between its request and the answer, a thief may do other work. Before it
    retires it must call {!S.withdraw}, and it may sleep only if its victim will
    notify it. In {!Dealing}, a thief asks all workers at once and the victim's
    name does not matter.

    {b What is stolen.} One item, the oldest. {e Steal-half} is left out: the
    oldest task of a fork tree is about half of the work anyway, and to move a
    batch, public deques would lose their compare-and-set on a single index
    (loops split flat sets of tasks lazily). {e Continuation stealing} is left
    out at this level, since the deques move values of any type: the caller of
    [push] chooses whether a value is a child or a continuation. *)

module type S = sig
  type 'a t

  val create : workers:int -> dummy:'a -> 'a t
  (** Empty deques for workers [0 .. workers - 1]. No operation returns [dummy].
  *)

  val workers : 'a t -> int

  (** {1 For the owner} *)

  val push : 'a t -> int -> 'a -> unit
  (** Worker [i] adds an item to its deque. *)

  val pop : 'a t -> int -> 'a option
  (** Worker [i] takes its newest item. [None] only if the deque was empty at
      some moment during the call. *)

  val size : 'a t -> int -> int
  (** The number of items of worker [i], for worker [i] itself. *)

  val is_empty : 'a t -> int -> bool

  val tick : 'a t -> int -> unit
  (** Worker [i] is at a safe point, and answers a thief if one has asked. *)

  val block : 'a t -> int -> unit
  (** Worker [i] is about to sleep or to retire, and will not answer: [block]
      refuses a pending request and lets no new request in, until {!unblock} or
      the next {!push}. Worker [i] keeps the items it still has; a worker that
      retires takes its items out first. *)

  val unblock : 'a t -> int -> unit

  (** {1 For thieves} *)

  val steal : 'a t -> thief:int -> victim:int -> 'a option
  (** Worker [thief] tries to get the oldest item of another worker. In private
      deques, [steal] takes these steps:
      - If an answer has come, from whichever victim, [steal] collects the
        answer.
      - Otherwise, if the thief waits for another victim, [steal] withdraws the
        request.
      - Then, if the thief waits for no victim, [steal] leaves a request with
        [victim], if [victim] accepts requests. *)

  val waits_for_answer : 'a t -> int -> bool
  (** True if worker [i] has left a request and has not collected the answer. *)

  val withdraw : 'a t -> int -> 'a option
  (** Withdraws worker [i]'s request, or collects the item if the victim has
      answered with an item. If {!waits_for_answer} is still true afterwards,
      the victim will answer within a few instructions: call [withdraw] again.
  *)

  (** {1 From anywhere} *)

  val may_have : 'a t -> int -> bool
  (** True if worker [i] has an item to steal. A hint, exact while no operation
      is under way. *)
end
