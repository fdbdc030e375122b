(** What a simulation comes to. Times in microseconds. *)

type wait = {
  thread : string;
  since : float;
  lasted : float;
  over : bool;  (** false: it still waited when the simulation ended *)
  woken : bool;  (** since it woke up, or was new; else it had run *)
  ran : bool;  (** how the wait ended *)
}
(** A time for which a thread was ready and did not run. *)

type t = {
  time : float;  (** until the last thread ended *)
  busy : float;  (** share of the cores' time in which threads ran *)
  idle_beside : float;
      (** core time in which a core was idle while another had two threads or
          more: the length of all {!Occupancy.wastes} *)
  wasted : float;
      (** core time in which a core was idle while another had a thread to
          spare: at each moment as many cores as could have been given one, and
          may run it *)
  wasted_while : float;  (** time in which there was such a core at all *)
  waits : int;
      (** times a thread was ready: woken, new, preempted, or after it yielded;
          not where it was chosen again at once *)
  wait_p50 : float;  (** of all these, those not over at the end included *)
  wait_p95 : float;
  wait_p99 : float;
  wait_max : float;
  longest : wait option;  (** the first of the longest *)
  still_waiting : int;  (** threads, when it ended *)
  wake_p50 : float;  (** from waking, or being new, to running *)
  wake_p95 : float;
  wake_p99 : float;
  wake_max : float;
  migrations : int;  (** runs on another core than the time before *)
  stolen : int;
  switches : int;
  balancings : int;
  fairness : float;
      (** Jain's index of what the threads got of the time they were runnable: 1
          is even *)
}

val of_result : cores:int -> Engine.result -> t

val longest_wait : t -> string
(** how long, whose, and since when *)

val pp : t Fmt.t
val to_json : t -> Yojson.Safe.t

(** {1 Parts} *)

val waits : Engine.result -> wait list
(** All of them. *)

val longest : wait list -> wait option

val sorted : wait list -> float array
(** How long they lasted. *)

val percentile : float array -> float -> float
(** [percentile sorted 0.5]; 0 of none. *)

val runnable : Engine.result -> float array
(** For how long each thread ran or was ready: from the beginning where it was
    placed without having been woken. *)

val fairness : float array -> float array -> float
(** [fairness computed could]: Jain's index of what each thread that could run
    had of that time. *)

val pp_time : float Fmt.t
val json_of_wait : wait -> Yojson.Safe.t
