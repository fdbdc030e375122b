(** Scenarios for whatever hands things over from those who put to those who
    take: channels, streams, mvars; and semaphores, whose permits are put by
    {e release} and taken by {e acquire}. *)

open Dromos_sync

type t = {
  put : int -> unit Step.t;
  put_event : (int -> unit Event.t) option;  (** if putting may wait *)
  put_for : (float -> int -> bool Step.t) option;
      (** the same, with a timeout *)
  take : int Step.op;
  take_for : float -> int option Step.op;
  left : unit -> int list;  (** takes what is there, without waiting *)
  close : (unit -> unit) option;
  is_closed : exn -> bool;
}

type kind = {
  make : unit -> t;
  room : int;
      (** how many puts do not wait; small, if others do; 0 if none does *)
  numbered : bool;  (** what is taken tells what was put *)
  fair : bool;  (** takers are served in the order in which they came *)
}

val scenarios : kind -> (string * (Env.t -> unit)) list
