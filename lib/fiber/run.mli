(** One call of [Dromos.run], from the making of its workers to its last task.
    Internal. *)

val run :
  workers:int ->
  hub_name:string ->
  deques:Fiber.deques ->
  ?standing:bool ->
  ?attend:(int -> (unit -> unit) -> unit) ->
  ?minor_heap_words:int ->
  ?unhandled:Unhandled.t ->
  Dromos_hub.Hub.maker ->
  (unit -> 'a) ->
  'a
(** The caller is outside any run. [standing] ([false] by default) and [attend]
    (by default it calls the function that it is given) are {!Fiber.type-run}'s,
    [unhandled] ({!Unhandled.standard} by default) its root scope's.

    Every thread that serves in a role does so with a minor heap of
    [minor_heap_words] ({!Minor_heap.with_size}), which its domain gives back
    when the thread leaves the role. By default the caller's stays as it is, and
    the others have as many words as the caller has now. *)

val default_workers : unit -> int
(** [DROMOS_WORKERS], or the processors that the process may use: by its
    affinity and by its container's quota ({!Cgroup}, read once). Raises
    [Invalid_argument] if the variable is not a number in [1 .. max_workers]. *)

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

val stats : Fiber.run -> stats
(** [minor] is of the time since the run began. *)

val last : unit -> stats
(** Of the run that ended last. *)

val pp_stats : Format.formatter -> stats -> unit
