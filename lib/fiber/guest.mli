(** Effects of other libraries that fibers answer themselves, so that a run acts
    as a scheduler of such a library. Internal; for bridges.

    A bridge registers once, when the bridge is linked, how effects are
    answered. A library's record of a fiber belongs to the fiber ([guests]):
    tasks and branches that the fiber starts begin without records, also a task
    that the fiber runs in place ({!Spawn}).

    Owner of [guests], and of [keeps_domains] of a run. A fiber without guests
    pays a test when it waits. The libraries answer effects that no handler of
    the program's has taken, and after Dromos's own effects. *)

(** The outcome of an effect. *)
type 'a answer =
  | Unknown : 'a answer  (** the effect does not belong to the library *)
  | Value : 'a -> 'a answer  (** the fiber goes on at once *)
  | Fails : (exn * Printexc.raw_backtrace) -> 'a answer
  | Yields : unit answer
      (** other fibers go first; raises [Cancelled] if the fiber is cancelled *)
  | Waits : {
      reason : string;  (** the reason, for messages *)
      shielded : bool;  (** the fiber's node does not cancel the wait *)
      cut : unit -> unit;
          (** Called by the thread that cancels the node: has the resumer
              called. May come after the resumer was called, if both happened at
              the same time. *)
      block : 'a Types.block;  (** the block of {!Dromos_suspend.Suspend} *)
    }
      -> 'a answer
      (** the fiber waits, even if its node is cancelled by then *)

type answers = { answer : 'a. Fiber.t -> 'a Effect.t -> 'a answer }

val register : answers -> unit
(** Called once for each library. The thread that runs the fiber calls the
    function on the scheduler's stack: the function must not wait. An exception
    of the function is raised in the fiber. *)

val answer : Fiber.t -> 'a Effect.t -> 'a answer
(** The answer of the first library that knows the effect. Called by the fiber's
    thread. *)

val add : Fiber.t -> Types.guest -> unit
(** Called by the fiber. Libraries keep resources in the domain that calls them
    (threads that wait for descriptors), so from now on no domain ends before
    the run. *)

val begins_with : Fiber.t -> Types.guest -> unit
(** {!add}, for a fiber that a bridge starts, before the fiber runs any code of
    the library's. *)

val begin_anew : Fiber.t -> unit
(** The fiber has run a task in place, and drops the task's records. *)

val forbids : Fiber.t -> bool
(** [true]: a library of the fiber puts off cancellation. *)

val stopped : Fiber.t -> (exn * Printexc.raw_backtrace) option
(** The exception with which a library of the fiber has cancelled the fiber. *)

val cancels : Fiber.t -> exn -> bool
(** [true]: a library of the fiber raises this exception to say that the fiber
    is cancelled. *)

val around : Fiber.t -> 'a Types.block -> 'a Types.block
(** Wraps the fiber's next wait, so that the libraries of the fiber can end the
    wait. *)
