(** The web service's command line. *)
