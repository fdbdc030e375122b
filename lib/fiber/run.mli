(** A call of [Dromos.run], from the making of its workers to the end of its
    last task. Internal. *)

val run :
  workers:int ->
  hub_name:string ->
  deques:Turns.deques ->
  ?standing:bool ->
  ?attend:(int -> (unit -> unit) -> unit) ->
  ?minor_heap_words:int ->
  ?unhandled:Unhandled.t ->
  Dromos_hub.Hub.maker ->
  (unit -> 'a) ->
  'a
(** The caller must be outside any run. [standing] ([false] by default) and
    [attend] (by default a call of the function) are fields of
    {!Types.type-run}; [unhandled] ({!Unhandled.standard} by default) belongs to
    the run's root scope.

    Every thread that serves in a role has a minor heap of [minor_heap_words]
    meanwhile ({!Minor_heap.with_size}); the thread's domain restores its
    earlier size when the thread leaves the role. By default the caller's minor
    heap stays unchanged, and the other threads have as many words as the caller
    has at the start. *)

val default_workers : unit -> int
(** [DROMOS_WORKERS], or the number of processors that the process may use: by
    the process's affinity and by the container's quota ({!Cgroup}, read once).
    Raises [Invalid_argument] if the variable is not a number in
    [1 .. max_workers]. *)

val max_workers : int

val check_workers : call:string -> int -> unit
(** Raises [Invalid_argument] in the name of [call] unless the number is in
    [1 .. max_workers]. *)

type stats = {
  tasks : int;
  promotions : int;
  steals : int;
  suspensions : int;
  sleeps : int;
  domains : int;
  minor : Minor_stops.figures;
}

val stats : Types.run -> stats
(** [minor] covers the time since the run began. *)

val last : unit -> stats
(** The figures of the run that ended last. *)

val pp_stats : Format.formatter -> stats -> unit
