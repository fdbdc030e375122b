(** The functions of a program that a {!Runtime} calls at the begin and at the
    end of a worker. Internal. *)

type report = string -> exn -> Printexc.raw_backtrace -> unit
(** [report what e bt]: [what] raised [e]. Does not raise. *)

val attend :
  report ->
  Dromos_fiber.Pending.t ->
  on_start:(int -> unit) ->
  on_stop:(int -> unit) ->
  int ->
  (unit -> unit) ->
  unit
(** {!Types.run}'s [attend], with the two hooks around; each pair is a part of
    what is pending. *)

val wait : Dromos_fiber.Pending.t -> unit
(** Waits until the last hook of every worker has returned. No hook is called
    after that. *)
