(** Eio answers. *)

val all : Bench_server.Front.t list
