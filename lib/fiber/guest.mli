(** Effects of other libraries that fibers answer themselves, so that a run is
    one of that library's schedulers. Internal; for bridges.

    A bridge registers once, when it is linked, how effects are answered. What
    the library knows of a fiber is the fiber's own ([Fiber.guests]): tasks and
    branches that the fiber starts begin with nothing, also one that it runs in
    place ({!Spawn}).

    A fiber without guests pays one test when it waits. Effects are answered
    where no handler of the program's has taken them, and after our own. *)

(** What becomes of an effect. *)
type 'a answer =
  | Unknown : 'a answer  (** it is not the library's *)
  | Value : 'a -> 'a answer  (** the fiber goes on at once *)
  | Fails : (exn * Printexc.raw_backtrace) -> 'a answer
  | Yields : unit answer
      (** others go first; raises [Cancelled] if that is due *)
  | Waits : {
      reason : string;  (** for people *)
      shielded : bool;  (** not cancelled by the fiber's node *)
      cut : unit -> unit;
          (** by whoever cancels the node: has the resumer called. Also after
              the resumer was called, if that happened at the same time *)
      block : 'a Fiber.block;  (** as in {!Dromos_suspend.Suspend} *)
    }
      -> 'a answer  (** the fiber waits, whatever its node is by then *)

type answers = { answer : 'a. Fiber.t -> 'a Effect.t -> 'a answer }

val register : answers -> unit
(** Once each. The function is called on the scheduler's stack, by the thread
    that runs the fiber: it must not wait. What it raises is raised in the
    fiber. *)

val answer : Fiber.t -> 'a Effect.t -> 'a answer
(** Of the first library that knows the effect. By the fiber's thread. *)

val add : Fiber.t -> Fiber.guest -> unit
(** By the fiber. Libraries keep things in the domain that they are called in
    (threads that wait for descriptors): no domain ends before the run now. *)

val forbids : Fiber.t -> bool
(** Whether one of its libraries puts off cancellation. *)

val stopped : Fiber.t -> (exn * Printexc.raw_backtrace) option
(** With what one of its libraries has cancelled it. *)

val cancels : Fiber.t -> exn -> bool
(** Whether one of its libraries says by that that the fiber is cancelled. *)

val around : Fiber.t -> 'a Fiber.block -> 'a Fiber.block
(** For its next wait. *)
