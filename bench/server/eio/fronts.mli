(** Servers whose answers come from Eio. *)

val all : Bench_server.Front.t list
