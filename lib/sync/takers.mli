(** Lines of waiters, and giving something to the first who takes it. For
    authors of structures; the terms are {!Waiter}'s. *)

type 'a t = 'a Waiter.t Line.t

val empty : 'a t
val push : 'a t -> 'a Waiter.t -> 'a t
val push_front : 'a t -> 'a Waiter.t -> 'a t

type 'a given =
  | Given of 'a t
      (** taken; this is what is left of the line, to be installed if the
          structure has not changed meanwhile, or else not at all *)
  | Nobody  (** nobody is in the line: it can be replaced by {!empty} *)
  | Only_busy  (** the giver's duty ({!Waiter}) begins *)
  | Again of 'a t  (** install this in place of the line, and try again *)

val give :
  ?valid:(unit -> bool) ->
  self:Waiter.token ->
  'a t ->
  'a Waiter.outcome ->
  'a given
(** Offers to each, first to last, until one takes. [valid], which is asked
    before each offer, tells whether the line is still the structure's: where
    waiters can be sent away in order by somebody else, a giver that holds on to
    an old line would find the first of them gone, and serve the next. [Again]
    if it is not. *)

val give_by :
  ?valid:(unit -> bool) ->
  self:Waiter.token ->
  'a t ->
  ('a Waiter.t -> 'a Waiter.outcome) ->
  'a given
(** {!give}, where the outcome depends on the cell that takes it. *)

val ready : self:Waiter.token -> 'a t -> bool
(** Whether somebody would take something now; marks busy choices. *)

val give_all : 'a t -> 'a Waiter.outcome -> unit
(** To each, first to last. *)
