(** The load test's command line. *)
