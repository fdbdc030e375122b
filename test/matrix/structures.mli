(** The rows of the matrix. *)

type t = { name : string; scenarios : (string * (Env.t -> unit)) list }

val all : t list
