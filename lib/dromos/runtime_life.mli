(** The life of a {!Runtime}, without its tasks. Internal; the public part is
    documented in {!Runtime}. *)

type t = {
  name : string;
  workers : int;
  scope : Dromos_fiber.Scope.t;
      (** the scope of the run's first fiber; all tasks are in this scope *)
  queue : int option;  (** the bound of the queue *)
  room : Dromos_sync.Semaphore.t option;  (** the room left in the queue *)
  closing : unit Dromos_sync.Ivar.t;
      (** filled when the runtime refuses tasks *)
  over : unit Dromos_sync.Author.Once.t;  (** filled when the run has ended *)
  figures : Runtime_figures.cell;
  report : Runtime_hooks.report;
}

exception Stopped of string

val create :
  ?name:string ->
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?queue:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  ?on_worker_start:(int -> unit) ->
  ?on_worker_stop:(int -> unit) ->
  unit ->
  t

val stop : ?drain:bool -> ?timeout:float -> t -> unit
val stop_event : ?drain:bool -> t -> unit Dromos_sync.Event.t

val with_ :
  ?name:string ->
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?queue:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  ?on_worker_start:(int -> unit) ->
  ?on_worker_stop:(int -> unit) ->
  (t -> 'a) ->
  'a

val name : t -> string
val workers : t -> int
val is_stopped : t -> bool
val inside : t -> bool
