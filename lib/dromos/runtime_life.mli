(** A {!Runtime} from its start to its end, without its tasks. Internal; the
    public part is documented in {!Runtime}. *)

type t = {
  name : string;
  workers : int;
  scope : Dromos_fiber.Scope.t;
      (** of the run's first fiber; the tasks are in it *)
  queue : int option;  (** the bound *)
  room : Dromos_sync.Semaphore.t option;  (** what the queue has left *)
  closing : unit Dromos_sync.Ivar.t;  (** filled when it stops taking tasks *)
  over : unit Dromos_sync.Ivar.t;  (** filled when the run has ended *)
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
