(** What a simulation comes to. Times in microseconds. *)

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
  waits : int;  (** times a thread became runnable and then ran *)
  wait_p50 : float;  (** from runnable to running *)
  wait_p95 : float;
  wait_p99 : float;
  wait_max : float;
  migrations : int;  (** runs on another core than the time before *)
  stolen : int;
  switches : int;
  balancings : int;
  fairness : float;
      (** Jain's index of what the threads got of the time they were runnable: 1
          is even *)
}

val of_result : cores:int -> Engine.result -> t
val pp : t Fmt.t
val to_json : t -> Yojson.Safe.t
