(** The figures of a simulation. *)

val of_result : cores:int -> Engine.result -> Figures.t

val longest_wait : Figures.t -> string
(** The length of the wait, the thread, and the beginning. *)

val pp : Figures.t Fmt.t
val to_json : Figures.t -> Yojson.Safe.t

(** {1 Parts} *)

val waits : Engine.result -> Figures.wait list
(** All waits. *)

val longest : Figures.wait list -> Figures.wait option

val sorted : Figures.wait list -> float array
(** The lengths of the waits, in rising order. *)

val percentile : float array -> float -> float
(** [percentile sorted 0.5]; 0 for an empty array. *)

val runnable : Engine.result -> float array
(** The time for which each thread ran or was ready. The time of a thread that
    was placed without a wake-up begins at the placement. *)

val fairness : float array -> float array -> float
(** [fairness computed could]: Jain's index of the threads' shares of the time
    in which they could run. *)

val pp_time : float Fmt.t
val json_of_wait : Figures.wait -> Yojson.Safe.t
