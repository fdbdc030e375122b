(** The state of a published branch, shared by the task that runs the branch and
    the fiber that joins.

    {v
      Pending                 --claim--->  Claimed
      Claimed                 --block--->  Waited   (joining fiber waits)
      Claimed, Waited         --ask----->  Asked    (wakes the joining fiber)
      Asked                   --answer-->  Claimed
      Claimed, Waited, Asked  --finish-->  Done, or Kept (outcome in a record)
    v}

    Source: the "take back" of Cilk's and rayon's joins, with a waiter that
    suspends instead of helping. Lock-free. Checked: dscheck, every order of
    claim, take-back, wait, cancelled wait, request and finish. *)

type 'b outcome = ('b, exn * Printexc.raw_backtrace) result
type 'b t

val create : unit -> 'b t
(** A branch that is published, and not started. *)

val claim : 'b t -> bool
(** Starts the branch. [true] for exactly one caller: the worker that took the
    task, or the forking fiber that takes its branch back. *)

val finish : 'b t -> 'b outcome -> unit
(** Stores the outcome, and wakes the waiter, if any. Called once, by the worker
    that claimed the branch. *)

val finish_kept : 'b t -> unit
(** Like {!finish}, with the outcome in the branch's record: see {!Task_heap}.
*)

val is_over : 'b t -> bool

val outcome : 'b t -> 'b outcome option
(** [None] also if a record has the outcome. *)

val is_pending : 'b t -> bool

val block : 'b t -> unit Dromos_suspend.resumer -> unit option
(** The body of the joining fiber's suspension ({!Dromos_suspend.suspend}):
    called by the forking fiber alone, on a branch that another task claimed.
    Replaces the resumer of an earlier wait, which must have been cancelled.
    [Some ()] if the branch {!wants} the fiber. *)

(** {1 Requests}

    What a branch asks the forking fiber to do, when the fiber comes to join:
    see {!Carried}. *)

val ask : 'b t -> (unit -> unit) -> unit
(** Stores the branch's request, and wakes the waiter, if any. Called by the
    branch, which then waits, so a branch has a single request at a time; the
    next request replaces a request that was given up. *)

val answer : 'b t -> (unit -> unit) option
(** Takes the request. Called by the forking fiber, which then does the request.
*)

val wants : 'b t -> bool
(** The branch is over, or has a request. *)
