(** A row of the load test: a server of its own, jobs one after the other from
    two clients, and small requests at a constant rate beside the jobs. *)

type figures = {
  p50 : float;  (** seconds, for small requests *)
  p99 : float;
  errors : int;  (** failed small requests *)
  jobs : float;  (** per second *)
  memory : float;  (** the peak of the resident memory, in MB *)
}

val measure :
  server:string ->
  arguments:string list ->
  busy:bool ->
  rate:float ->
  seconds:float ->
  figures
(** Starts the program [server] on any free port; without [busy] there are no
    jobs. Raises [Failure] with the server's message if the server does not
    start. *)
