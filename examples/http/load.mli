(** An open-loop load generator: requests start at a constant rate, whatever the
    server does, as those of people who know nothing of each other.

    Request number i is due at [i / rate] after the start, and its latency runs
    from that intended time, whenever it was really sent. A generator that waits
    for answers before it sends more (a closed loop), or that takes the time
    from sending, leaves out just those requests that a stalled server would
    have made wait ("coordinated omission", Gil Tene,
    {i How NOT to measure latency}, and his wrk2).

    On Lwt, one thread. Connections are kept and used again; a request that
    finds all of them busy opens one more, up to [connections], and waits its
    turn beyond. *)

type result = {
  offered : float;  (** requests per second that were due *)
  sent : int;
  answered : int;  (** rightly, before the end of the wait *)
  wrong : int;  (** another status or another body *)
  failed : int;  (** no connection, or one that broke *)
  unanswered : int;  (** still without an answer at the end of the wait *)
  throughput : float;  (** right answers per second of the time of sending *)
  latencies : float array;
      (** seconds, sorted: of all right answers, and of those unanswered as long
          as they had waited at the end, which is less than it would have been
      *)
  lag : float;
      (** seconds: the longest that a request was sent after its intended time;
          included in its latency. Large without a lack of connections, it says
          that the generator itself had too little of the machine. *)
  opened : int;  (** connections *)
}

val run :
  ?connections:int ->
  ?wait:float ->
  ?expect:string ->
  address:Unix.sockaddr ->
  path:string ->
  rate:float ->
  seconds:float ->
  unit ->
  result Lwt.t
(** Sends for [seconds], then waits up to [wait] seconds (2) for what is not
    answered, and then closes its connections. An answer is right with status
    200 and, if [expect] is given, that body. [connections] is 500 by default.
    Raises [Invalid_argument] if [rate] or [seconds] is not positive. *)

val precise : unit -> unit
(** To be called before, in a program that only generates load: replaces Lwt's
    engine, since libev sleeps whole milliseconds, by which every request would
    be late, by one that is limited to about a thousand descriptors. *)

val percentile : float array -> float -> float
(** [percentile sorted 0.9] is the least value that at least 90% do not exceed;
    [nan] if there are none. *)

val errors : result -> int
(** Wrong, failed and unanswered together. *)
