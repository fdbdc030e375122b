(** The flat code that a policy becomes, and the assembler for it.

    A running handler has a frame in the state: its place in the code, the core
    it runs on, its target, and numbered registers. What it does between two
    {!step}s is run with the step before; others see nothing of it, but for
    attributes that several handlers use at once. *)

type state = Layout.state

type expression = {
  value : state -> int -> int;  (** of the state, with this frame *)
  uses : int list;  (** registers, and attributes: see {!attribute} *)
}
(** Pure: no step in it. *)

(** What a register holds, so that threads can be renamed. A [Chain] is the
    first of threads that are on their way, linked by [Layout.next]; threads and
    chains are stored + 1, so that 0 is none. *)
type kind = Plain | A_thread | Chain

(** A step that, if nothing that others see is run with it, commutes with what
    others do next ([Later]: taking a lock, leaving a queue) or did before
    ([Earlier]: releasing one, entering a queue) can be made together with its
    neighbour (Lipton 1975). *)
type mover = Neither | Later | Earlier

type step = {
  ready : state -> int -> bool;  (** false while a lock is held by another *)
  shown : state -> int -> bool;  (** false: no step, this time *)
  run : state -> int -> unit;
  mover : mover;
  locks : bool;  (** it takes a lock *)
  hands_over : bool;
      (** from here on another handler may be at work on a thread that this one
          was about *)
  ways : state -> int -> int;
      (** how many ways it can go, by [Layout.draw]: 1, but where something is
          drawn *)
  step_uses : int list;
  step_defines : int list;
  serves : int option;  (** the register of the core for which is stolen *)
  who : state -> int -> string;  (** what the text of [say] begins with *)
  say : state -> int -> state -> string;
      (** the state before it, the frame, the state after it *)
}

type instruction =
  | Pure of {
      work : state -> int -> unit;
      uses : int list;
      defines : int list;  (** wholly *)
    }
  | Branch of { test : expression; otherwise : int ref }
      (** to the next if it is not 0 *)
  | Jump of int ref
  | Step of step
  | End

(** {1 Frames} *)

val pc : int
(** 0 if there is no handler in the frame. *)

val self : int

val target : int
(** A core, or a thread + 1. *)

val waker : int
(** A thread + 1, or 0: see [Core.Waker]. *)

val first_register : int

val attribute : Dromos_policy_core.Core.attribute -> int
(** What stands for all instances of it among [uses] and [defines], beside
    registers: a negative number. *)

(** {1 Assembling} *)

type t
(** Code that grows. Its first instruction is [End]. *)

val create : unit -> t
val here : t -> int
val emit : t -> instruction -> unit
val label : unit -> int ref

val place : t -> int ref -> unit
(** The label is here. *)

val registers : t -> kind array
(** Of the handler in the making. *)

val start_handler : t -> target:kind -> unit

val fresh : ?kind:kind -> ?count:int -> t -> int
(** Adjacent registers; the first. *)

val instructions : t -> instruction array

(** {1 Analyses} *)

val live :
  instruction array -> entry:int -> last:int -> kind array -> int array array
(** For each place from [entry] to [last]: the registers whose values may still
    be used. Instructions times registers, 64 registers at a time, for each
    nesting of loops; on demand only. *)

val used_at : instruction array -> int -> int list
val defined_at : instruction array -> int -> int list

val handed_over : instruction array -> bool array
(** By place: whether a step that {!step.hands_over} may have come before.
    Linear. *)

val may_end : instruction array -> bool array
(** By place: whether after the step there the handler may be over without
    another step. Linear for each nesting of loops. *)
