(** The rows of the matrix. *)

type t = {
  name : string;
  direct : bool;  (** the operations have no events: direct style only *)
  scenarios : (string * (Env.t -> unit)) list;
}

val all : t list
