(** What is known of other schedulers without depending on them. Internal. *)

type t = private {
  scheduler : string;  (** for people *)
  loop : (string * string) list;
  apart : string list;
  effects : string list;
  waits : string list;
  run : string;  (** what to use in place of [Dromos.run] in its tasks *)
  wait : string;  (** how a fiber waits for it *)
  wrap : string option;  (** what tells its tasks apart *)
}

val around : unit -> t option
(** The scheduler around the caller, the other tasks of which a caller that
    blocks its thread would block. Names and source files of the functions on
    the call stack tell. [None] on a domain that Eio made for the caller alone
    ([Eio.Domain_manager.run], [Executor_pool]), and for libraries without
    debugging information. *)

val unhandled : 'a Effect.t -> exn
(** The exception for a fiber's effect that no handler takes: [Misplaced], with
    advice, for a wait of another scheduler, else [Effect.Unhandled]. *)

val advice : 'a Effect.t -> string option
(** For people, if the effect belongs to another scheduler, or is a wait of
    Dromos's in a task of one. *)

val refused : 'a Effect.t -> exn -> exn
(** [refused eff e] is {!unhandled}[ eff], or [e] for an effect that is no wait.
*)
