(** Lines of waiters, and giving something to the first who takes it. For
    authors of structures; the terms are {!Waiter}'s. *)

type 'a t = 'a Waiter.t Line.t

val empty : 'a t
val push : 'a t -> 'a Waiter.t -> 'a t

type 'a given =
  | Given of 'a t
      (** taken; this is what is left of the line, to be installed if the
          structure has not changed meanwhile, or else not at all *)
  | Nobody  (** nobody is in the line: it can be replaced by {!empty} *)
  | Only_busy  (** the giver's duty ({!Waiter}) begins *)
  | Again of 'a t  (** install this in place of the line, and try again *)

val give : self:Waiter.token -> 'a t -> 'a Waiter.outcome -> 'a given
(** Offers to each, first to last, until one takes. *)

val ready : self:Waiter.token -> 'a t -> bool
(** Whether somebody would take something now; marks busy choices. *)

val give_all : 'a t -> 'a Waiter.outcome -> unit
(** To each, first to last. *)
