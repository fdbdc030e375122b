(** The model checker: does a policy keep its promise on small machines?

    {[
      match (Explore.check policy Gcwc).verdict with
      | Holds -> ...
      | Violated trace -> Format.printf "%a@." Trace.pp trace
      | Limit -> ...
    ]} *)

type verdict =
  | Holds  (** on all machines up to [largest] *)
  | Violated of Trace.t
  | Limit  (** not even the smallest could be searched *)

type result = {
  promise : Promise.t;
  verdict : verdict;
  largest : Bounds.t option;  (** searched to the end *)
  covered : Bounds.t list;  (** the same, all of them, latest first *)
  states : int;  (** in all *)
  seconds : float;
}

val check :
  ?fault:Scope.fault ->
  ?source_lock:Scope.source_lock ->
  ?seconds:float ->
  ?states:int ->
  ?series:Bounds.t list ->
  ?topology:(int -> Topology.t) ->
  ?witness:Witnessed.witness ->
  Core.policy ->
  Promise.t ->
  result
(** Larger and larger machines ({!Bounds.series}), until something is found or
    the time is over: 2 seconds of the processor if not said; or an instance has
    more than [states] states. A violation is as small as the series and as
    short in moves as can be. [witness]: what a prover saw fail. Between the
    smallest machines of the series and the others come the {!Pairs} of groups,
    for a fifth of the time at most, and those that {!Witnessed} makes of the
    witness, until three fifths are over. Conservation is checked with it.
    [topology] is as in {!Instance.make}. {!Promise.Waiting} is searched on one
    core, by {!Starvation}: [fault], [source_lock], [topology] and [witness] say
    nothing there. *)

val pp : Format.formatter -> result -> unit
val to_json : result -> Yojson.Safe.t
