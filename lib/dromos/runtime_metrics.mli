(** The figures of a {!Runtime}, for programs and in Prometheus' text form
    (exposition format 0.0.4). Internal; the public part is documented in
    {!Runtime}. *)

type stats = {
  accepted : int;
  refused : int;
  queued : int;
  running : int;
  finished : int;
  failed : int;
  cancelled : int;
  wait_sum : float;
  wait_max : float;
  run_sum : float;
  run_max : float;
  scheduler : Dromos_fiber.Run.stats;
}

val stats : Runtime_figures.cell -> Dromos_fiber.Types.run -> stats

type source = {
  runtime : string;  (** the runtime's name, the label *)
  workers : int;
  queue : int option;  (** the bound of the queue *)
  now : stats;
}

val print : prefix:string -> source list -> string
(** Raises [Invalid_argument] if the prefix is not a name of a metric
    ([[a-zA-Z_:][a-zA-Z0-9_:]*]), or two runtimes have the same name. *)
