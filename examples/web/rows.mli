(** One row of the load test: a server of its own, jobs one after the other from
    two clients, and small requests at a constant rate beside them. *)

type figures = {
  p50 : float;  (** seconds, of small requests *)
  p99 : float;
  errors : int;  (** of these *)
  jobs : float;  (** a second *)
  memory : float;  (** the most that was resident, in MB *)
}

val measure :
  server:string ->
  arguments:string list ->
  busy:bool ->
  rate:float ->
  seconds:float ->
  figures
(** Starts the program [server], which is told to take any free port; without
    [busy] there are no jobs. Raises [Failure] with what the server says if it
    does not start. *)
