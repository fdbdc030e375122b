(** The flat code of a policy: {!Assembler} makes the code, {!Machine} runs it.

    A running handler has a {!Frame} in the state. The code between two {!step}s
    runs together with the step before. Other handlers see nothing of this code,
    except in attributes that several handlers use at once. *)

type state = Layout.state

type expression = {
  value : state -> int -> int;  (** the value in this state, with this frame *)
  uses : int list;
      (** the registers that are read, and the attributes: see
          {!Frame.attribute} *)
}
(** A pure expression: its evaluation contains no step. *)

(** The content of a register, for the renaming of threads. A [Chain] is the
    first of a list of threads on their way, linked by [Layout.next]. Threads
    and chains are stored + 1, so that 0 is none. *)
type kind = Plain | A_thread | Chain

(** The direction in which a step can be joined to a neighbour (Lipton 1975). A
    [Later] step (taking a lock, leaving a queue) commutes with the next steps
    of other handlers, an [Earlier] step (releasing a lock, entering a queue)
    with the steps before; each only if nothing visible runs together with the
    step. *)
type mover = Neither | Later | Earlier

type step = {
  ready : state -> int -> bool;
      (** false while another handler holds the lock that the step takes *)
  shown : state -> int -> bool;
      (** false if no step is needed; the work is then done with the step before
      *)
  run : state -> int -> unit;
  mover : mover;
  locks : bool;  (** the step takes a lock *)
  hands_over : bool;
      (** after the step another handler may be at work on the handler's thread
      *)
  ways : state -> int -> int;
      (** the number of different results, by [Layout.draw]: 1 unless the step
          draws *)
  step_uses : int list;
  step_defines : int list;
  serves : int option;
      (** the register of the core for which the handler steals *)
  who : state -> int -> string;  (** the beginning of the text of [say] *)
  say : state -> int -> state -> string;
      (** takes the state before the step, the frame, and the state after the
          step *)
}

type instruction =
  | Pure of {
      work : state -> int -> unit;
      uses : int list;
      defines : int list;
          (** the registers and attributes that get new values *)
    }
  | Branch of { test : expression; otherwise : int ref }
      (** goes to the next instruction if the value is not 0 *)
  | Jump of int ref
  | Step of step
  | End
