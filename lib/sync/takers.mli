(** Wait queues (lines) of waiters that all accept the same kind of value: a
    giver offers the value to one waiter after the other, until one takes the
    value. For authors of structures; {!Waiter} explains the terms.

    @canonical Dromos_sync.Author.Takers *)

type 'a t = 'a Waiter.t Line.t

val empty : 'a t
val push : 'a t -> 'a Waiter.t -> 'a t
val push_front : 'a t -> 'a Waiter.t -> 'a t

type 'a given =
  | Given of 'a t
      (** a waiter took the value. The result is the rest of the queue: install
          it if the structure has not changed meanwhile, and ignore it otherwise
      *)
  | Nobody
      (** the queue has no waiter: the structure can replace the queue by
          {!empty} *)
  | Only_busy
      (** all waiters are registering: the giver's duty ({!Waiter}) begins *)
  | Again of 'a t
      (** install this queue in place of the structure's queue, and try again *)

val give :
  ?valid:(unit -> bool) ->
  self:Waiter.token ->
  'a t ->
  'a Waiter.outcome ->
  'a given
(** [give ~self queue outcome] offers [outcome] to each waiter, first to last,
    until one takes the value. [valid] is called before each offer, and is
    [true] while the queue is still the structure's. The test is needed where
    another thread can send the waiters away in order: a giver with an old queue
    would find the first waiter gone, and serve the second. If [valid ()] is
    [false], the result is [Again]. *)

val give_by :
  ?valid:(unit -> bool) ->
  self:Waiter.token ->
  'a t ->
  ('a Waiter.t -> 'a Waiter.outcome) ->
  'a given
(** {!give}, with an outcome computed from the waiter that takes it. *)

val ready : self:Waiter.token -> 'a t -> bool
(** [ready ~self queue] is [true] if a waiter would take a value now.
    Registering selects are marked. *)

val give_all : 'a t -> 'a Waiter.outcome -> unit
(** [give_all queue outcome] offers [outcome] to each waiter, first to last. *)
