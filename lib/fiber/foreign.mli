(** Facts about other schedulers, without a dependency on their libraries.
    Internal. *)

type t = private {
  scheduler : string;  (** the scheduler's name, for messages *)
  loop : (string * string) list;
  apart : string list;
  effects : string list;
  waits : string list;
  run : string;  (** the replacement of [Dromos.run] in the scheduler's tasks *)
  wait : string;  (** the way in which a fiber waits for the scheduler *)
  wrap : string option;
      (** the function that makes the scheduler's tasks separate owners *)
}

val around : unit -> t option
(** The scheduler around the caller: if the caller blocks its thread, the
    scheduler's other tasks block too. Found by the names and source files of
    the functions on the call stack. [None] on a domain that Eio made for the
    caller alone ([Eio.Domain_manager.run], [Executor_pool]), and for libraries
    without debugging information. *)

val unhandled : 'a Effect.t -> exn
(** The exception for a fiber's effect that no handler takes: [Misplaced], with
    advice, for a wait of another scheduler; otherwise [Effect.Unhandled]. *)

val advice : 'a Effect.t -> string option
(** A message, if the effect belongs to another scheduler, or is a wait of
    Dromos's in a task of another scheduler. *)

val refused : 'a Effect.t -> exn -> exn
(** [refused eff e] is {!unhandled}[ eff], or [e] for an effect that is no wait.
*)
