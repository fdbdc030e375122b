(** A small HTTP server on Eio, enough for the lab's requests: GET over kept
    connections. *)

val serve :
  net:_ Eio.Net.t ->
  ready:(int -> unit) ->
  stop:unit Eio.Promise.t ->
  (int -> int) ->
  unit
(** [GET /fib/N], computed in the connection's fiber. *)
