(** Wait queues (lines) of tasks with different claims: so many permits, one
    kind of lock. The structure decides which task goes next. For authors of
    structures; {!Waiter} explains the terms.

    {!Takers} is simpler where every task in the queue wants the same thing and
    a giver has just that in hand.

    @canonical Dromos_sync.Author.Claims *)

type 'k entry = { claim : 'k; cell : unit Waiter.t }
type 'k t = 'k entry Line.t

val gone : 'k entry -> bool
val push : 'k t -> 'k -> unit Waiter.t -> 'k t

type 'k next =
  | First of 'k entry * 'k t
      (** the first waiter that is asleep, or has just gone, and the queue
          without it; an offer to this waiter never answers [Busy] *)
  | Put_in_order of 'k t  (** install this queue, and call [next] again *)
  | Nobody
      (** the queue is empty, or all its waiters are registering, and were
          marked *)

val next : 'k t -> 'k next
(** [next queue] is the first task that could be served now. Registering selects
    are passed over and marked. *)

val stands_back : self:Waiter.token -> ('k -> bool) -> 'k t -> bool
(** [stands_back ~self minds queue] is [true] if a task whose claim satisfies
    [minds] is asleep in front of [self] (in the whole queue, if [self] has no
    waiter there). Registering selects in front are marked if [minds] holds for
    them. *)
