(** The two sides of a published branch: who runs it, and who waits for it.

    Source: the "take back" of Cilk's and rayon's joins, with a waiter that
    suspends instead of helping. Lock-free. Checked: dscheck, every order of
    claim, take-back, wait, cancelled wait, request and finish. *)

type 'b outcome = ('b, exn * Printexc.raw_backtrace) result
type 'b t

val create : unit -> 'b t
(** Published, not started. *)

val claim : 'b t -> bool
(** Starts it: [true] for exactly one caller, be it the worker that took the
    task or the forking fiber that takes its branch back. *)

val finish : 'b t -> 'b outcome -> unit
(** By the worker that claimed it, once. Wakes the waiter, if any. *)

val finish_kept : 'b t -> unit
(** The same, with the outcome left in the branch's record: see {!Task_heap}. *)

val is_over : 'b t -> bool

val outcome : 'b t -> 'b outcome option
(** [None] also if it is kept in a record. *)

val is_pending : 'b t -> bool

val block : 'b t -> unit Dromos_suspend.resumer -> unit option
(** For {!Dromos_suspend.suspend}: by the forking fiber alone, on a branch that
    was claimed by another. Replaces the resumer of an earlier wait, which must
    be dead (that wait was cancelled). [Some ()] if it {!wants} the fiber. *)

(** {1 Requests}

    What a branch has the forking fiber do for it, when that comes to join: see
    {!Carried}. *)

val ask : 'b t -> (unit -> unit) -> unit
(** By the branch, which then waits, so that it has one request at a time; one
    that was given up is replaced by the next. Wakes the waiter, if any. *)

val answer : 'b t -> (unit -> unit) option
(** By the forking fiber: takes the request, to do it. *)

val wants : 'b t -> bool
(** It is over, or there is a request. *)
