(** An open-loop load generator: requests start at a constant rate, independent
    of the server, like the requests of people who know nothing of each other.

    Request number i is due at [i / rate] after the start. Its latency runs from
    that intended time, even if the request was sent late. A generator that
    waits for answers before it sends more (a closed loop), or that measures
    from the time of sending, leaves out exactly the requests that a stalled
    server would have delayed ("coordinated omission", Gil Tene,
    {i How NOT to measure latency}, and his wrk2).

    On Lwt, one thread. Connections are kept and used again. A request that
    finds all connections busy opens a new connection, up to [connections], and
    beyond the limit waits its turn. *)

type result = {
  offered : float;  (** requests due per second *)
  sent : int;
  answered : int;  (** right answers before the end of the wait *)
  wrong : int;  (** answers with a wrong status or a wrong body *)
  failed : int;  (** no connection, or a connection that broke *)
  unanswered : int;  (** still without an answer at the end of the wait *)
  throughput : float;  (** right answers per second of the time of sending *)
  latencies : float array;
      (** seconds, sorted: the latencies of all right answers, and for each
          unanswered request its waiting time at the end (its latency would have
          been greater) *)
  lag : float;
      (** seconds: the longest delay between the intended time of a request and
          its sending; included in the request's latency. A large lag without a
          lack of connections means that the generator had too little of the
          machine. *)
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
(** Sends for [seconds], then waits up to [wait] seconds (2) for missing
    answers, and then closes its connections. An answer is right with status 200
    and, if [expect] is given, the expected body. [connections] is 500 by
    default. Raises [Invalid_argument] if [rate] or [seconds] is not positive.
*)

val precise : unit -> unit
(** Call [precise] first, in a program that only generates load. It replaces
    Lwt's engine: libev sleeps whole milliseconds, so every request would be
    late. The new engine is limited to about a thousand descriptors. *)

val percentile : float array -> float -> float
(** [percentile sorted 0.9] is the least value not exceeded by 90% of the
    values; [nan] for an empty array. *)

val errors : result -> int
(** Wrong, failed and unanswered together. *)
