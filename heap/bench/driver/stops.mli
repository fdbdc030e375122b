(** Computes the stops of domains from runtime events.

    {b What counts.} A domain is stopped from the beginning of a phase of the
    runtime to its end. Phases nest: the outermost phase counts. All phases
    count: minor collections, major slices, the waits of a domain that stops the
    world, and the stops of the stopped domains. Two stops of a domain less than
    20 us apart are one stop. A wait for a condition in the runtime
    ([EV_DOMAIN_CONDITION_WAIT]) is not a stop: the domain has no work then. A
    domain that waits for work is stopped by collections of further domains too
    (its backup thread takes part), and counts. The time until a domain notices
    a request to stop does not count.

    Only stops within the program's timed runs count; the program announces the
    runs by a user event ({!Heap_suite.Watched}). *)

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
  together_s : float;  (** the sum over all domains *)
  runs_s : float;  (** the sum of the timed runs *)
}

val summary : t -> summary
