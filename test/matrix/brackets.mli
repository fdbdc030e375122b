(** What is held while a function runs, in direct style only: strands, pools of
    resources. *)

type t = {
  use : 'a. ?timeout:float -> (unit -> 'a) -> 'a;
  over : unit -> unit;  (** checks, when nobody uses it, that nothing was lost *)
}

type kind = { make : unit -> t; holders : int  (** so many at a time *) }

val scenarios : kind -> (string * (Env.t -> unit)) list
