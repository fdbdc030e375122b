(** Structures held while a function runs, in direct style only: strands, pools
    of resources. *)

type t = {
  use : 'a. ?timeout:float -> (unit -> 'a) -> 'a;
  over : unit -> unit;  (** checks at rest that nothing was lost *)
}

type kind = { make : unit -> t; holders : int  (** limit of holders *) }

val scenarios : kind -> (string * (Env.t -> unit)) list
