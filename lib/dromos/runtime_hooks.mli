(** The functions of the program that a {!Runtime} calls at the beginning and at
    the end of a worker. Internal. *)

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
(** The field [attend] of {!Types.run}: calls the two hooks around the worker's
    service. Each pair of calls counts as pending. *)

val wait : Dromos_fiber.Pending.t -> unit
(** Waits until the last hook of every worker has returned. No hook is called
    after that. *)
