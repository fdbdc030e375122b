(** As much of an HTTP server as the lab's requests take, on Eio: GET over kept
    connections. *)

val serve :
  net:_ Eio.Net.t ->
  ready:(int -> unit) ->
  stop:unit Eio.Promise.t ->
  (int -> int) ->
  unit
(** [GET /fib/N], computed in the connection's fiber. *)
