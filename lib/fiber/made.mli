(** Tasks that were handed to a hub and may not have begun: who begins each, and
    which of them a worker may have in its deque. Internal.

    A task begins once: on the worker that the hub gives it to ({!take}), or in
    the place of a fiber that awaits it and {!claim}s it, wherever it stands in
    whoever's deque. A claimed task stays behind there, and does nothing when
    its turn comes.

    So that deques do not fill with claimed tasks, a worker has a list of what
    it has pushed, newest first, and takes claimed ones back from that end of
    its deque ({!trim}). Below a task that nobody claims they would pile up all
    the same: after ten times as many pushes as there were tasks to begin, and
    10,000, the worker takes everything back and pushes again what has not
    begun. Each operation is O(1), amortized, besides [retract] and [push].

    Only the state decides who begins a task; the list is about room. It may
    miss tasks, or name some that have left the deque: a claimed task that it
    misses waits for a worker that has nothing else on top.

    {b Checked}: model-checked (test/fiber/model: claims, thieves and the owner
    over the deque that is shipped; each task begins once, and in the end the
    deque is empty), tested (test/front/orders). *)

type ('code, 'about, 'task) t = {
  state : state Atomic.t;
  mutable code : 'code;  (** by who begins it, who clears it *)
  about : 'about;
  mutable task : 'task;
      (** as the hub knows it; by the maker, before {!push} *)
  mutable place : int;  (** in its worker's list; by the list *)
}

and state =
  | Fresh
  | Here  (** claimed; the hub may still have it *)
  | Gone  (** the hub has given it out *)

type ('code, 'about, 'task) own = {
  none : ('code, 'about, 'task) t;  (** for places without a task *)
  retract : 'task -> bool;  (** [Pool.retract], as the worker *)
  push : 'task -> unit;  (** [Pool.push], as the worker *)
  mutable places : ('code, 'about, 'task) t array;
      (** The list, oldest first; and not linked through the tasks, since a
          chain through many blocks makes the collector's marking slow. *)
  mutable size : int;
  mutable most : int;  (** [size] at which all are taken back *)
  mutable last : 'about;  (** of the task pushed last, which tasks may share *)
  mutable claimed : int;  (** the place of the task claimed last *)
}
(** A worker's list. Its operations are for the thread that may use the hub as
    that worker ({!Hub_door}), and do not wait. *)

val own :
  none:('code, 'about, 'task) t ->
  retract:('task -> bool) ->
  push:('task -> unit) ->
  ('code, 'about, 'task) own

(** {1 Who begins it}

    From anywhere. *)

val claim : ('code, 'about, 'task) t -> bool
(** [true]: the caller begins it. *)

val take : ('code, 'about, 'task) t -> bool
(** By the worker that the hub has given it to: whether that is to begin it. *)

(** {1 A worker's list} *)

val push : ('code, 'about, 'task) own -> ('code, 'about, 'task) t -> unit
(** Hands a fresh task to the hub. *)

val trim : ('code, 'about, 'task) own -> unit
(** Takes claimed tasks back from the newest end of the deque, down to the first
    that nobody has claimed. *)

val is_far : ('code, 'about, 'task) own -> ('code, 'about, 'task) t -> bool
(** Thousands of tasks are above it, and the one claimed last is not beside it:
    what it needs is in no cache then, and to have the worker run what is above
    it, in its order, takes less time. For a task of another worker the answer
    is either. *)

val forget : ('code, 'about, 'task) own -> unit
(** The worker's deque is empty: the list is too, and keeps nothing alive. *)
