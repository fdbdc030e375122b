(** The model checker: does a policy keep its promise on small machines?

    {[
      match (Explore.check policy Gcwc).verdict with
      | Holds -> ...
      | Violated trace -> Format.printf "%a@." Trace.pp trace
      | Limit -> ...
    ]} *)

type verdict =
  | Holds  (** no violation on any machine up to [largest] *)
  | Violated of Trace.t
  | Limit  (** even the smallest machine was too large to search *)

type result = {
  promise : Promise.t;
  verdict : verdict;
  largest : Bounds.t option;
      (** the last machine that was searched to the end *)
  covered : Bounds.t list;
      (** all machines searched to the end, latest first *)
  states : int;  (** on all machines together *)
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
(** Searches larger and larger machines ({!Bounds.series}) until a violation is
    found or the time is over (by default 2 seconds of the processor); [states]
    bounds the states of one machine. A violation is on the smallest machine of
    the series, and as short in moves as possible. Conservation is checked too.

    [witness]: the values of a failed proof. Between the smallest machines of
    the series and the rest come two kinds: the {!Pairs} of groups, for a fifth
    of the time at most, and the machines of {!Witnessed}, until three fifths of
    the time are over. [topology] is as in {!Instance.make}. {!Promise.Waiting}
    is searched on one core by {!Starvation}, which ignores [fault],
    [source_lock], [topology] and [witness]. *)

val pp : Format.formatter -> result -> unit
val to_json : result -> Yojson.Safe.t
