(** Servers whose answers come from Lwt. *)

val all : Bench_server.Front.t list
