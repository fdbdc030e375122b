(** The rows of the matrix. *)

type t = {
  name : string;
  direct : bool;  (** its operations have no events: only in direct style *)
  scenarios : (string * (Env.t -> unit)) list;
}

val all : t list
