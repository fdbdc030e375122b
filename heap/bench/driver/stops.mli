(** From runtime events to how long domains were stopped.

    {b What counts.} A domain is stopped from the beginning of a phase of the
    runtime to its end (phases nest: the outermost one counts), whatever the
    phase: minor collections, major slices, waiting for other domains to stop or
    to go on, being stopped by them. Two stops of a domain less than 20 us apart
    are one. Waiting for a condition in the runtime ([EV_DOMAIN_CONDITION_WAIT])
    is not a stop: the domain has nothing to do then. A domain that waits for
    work is stopped by others' collections too (its backup thread takes part),
    and counts. The time until a domain that was asked to stop has noticed does
    not count.

    Only what falls into the program's timed runs counts; these are announced by
    a user event ({!Heap_suite.Watched}). *)

type t

val create : unit -> t

val phase_begins : t -> domain:int -> at:int64 -> unit
(** Times are in nanoseconds. *)

val phase_ends : t -> domain:int -> at:int64 -> unit
val run_begins : t -> at:int64 -> unit
val run_ends : t -> at:int64 -> unit

type summary = {
  stops : int;
  longest_ms : float;
  together_s : float;  (** of all domains *)
  runs_s : float;  (** how long the timed runs took *)
}

val summary : t -> summary
