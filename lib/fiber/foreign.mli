(** What is known of other schedulers without depending on them. Internal. *)

type t = private {
  scheduler : string;  (** for people *)
  loop : (string * string) list;
  apart : string list;
  effects : string list;
  waits : string list;
  run : string;  (** what to use in place of [Dromos.run] in its tasks *)
  wait : string;  (** how a fiber waits for it *)
}

val around : unit -> t option
(** The scheduler that the caller is inside of, and whose other tasks would be
    blocked if the caller blocked its thread: found by the functions on the call
    stack, by their names and source files. [None] on a domain that Eio made for
    the caller alone ([Eio.Domain_manager.run], [Executor_pool]), and for
    libraries without debugging information. *)

val unhandled : 'a Effect.t -> exn
(** What a fiber's effect raises that no handler takes: [Effect.Unhandled], but
    [Misplaced], with advice, for the waits of other schedulers. *)

val advice : 'a Effect.t -> string option
(** For people, if the effect is another scheduler's. *)

val refused : 'a Effect.t -> exn -> exn
(** {!unhandled}, where this exception tells already that no handler took the
    effect. *)
