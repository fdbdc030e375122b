(** Lines of tasks that each claim something from a structure that decides by
    itself who goes next: how many permits, which kind of lock. For authors of
    structures; the terms are {!Waiter}'s.

    Where every task in line wants the same, and a giver has just that in hand,
    {!Takers} is simpler. *)

type 'k entry = { claim : 'k; cell : unit Waiter.t }
type 'k t = 'k entry Line.t

val gone : 'k entry -> bool
val push : 'k t -> 'k -> unit Waiter.t -> 'k t

type 'k next =
  | First of 'k entry * 'k t
      (** asleep or just gone, so an offer to it finds no busy choice; and the
          line without it *)
  | Put_in_order of 'k t  (** install this, and look again *)
  | Nobody  (** all are busy, and were marked, or the line is empty *)

val next : 'k t -> 'k next
(** The first in line that could be served now. Busy choices are passed, and
    marked. *)

val stands_back : self:Waiter.token -> ('k -> bool) -> 'k t -> bool
(** Whether somebody is asleep in front of [self] (in the whole line, if [self]
    has no cell in it) with a claim for which the predicate holds. Busy choices
    that it passes are marked. *)
