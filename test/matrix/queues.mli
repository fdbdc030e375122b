(** Scenarios for structures that pass messages from givers to takers: channels,
    streams, mvars; and semaphores, whose permits are put by {e release} and
    taken by {e acquire}. *)

open Dromos_sync

type t = {
  put : int -> unit Step.t;
  put_event : (int -> unit Event.t) option;  (** if a put may wait *)
  put_for : (float -> int -> bool Step.t) option;  (** a put with a timeout *)
  take : int Step.op;
  take_for : float -> int option Step.op;
  left : unit -> int list;  (** takes all present messages, without waiting *)
  close : (unit -> unit) option;
  is_closed : exn -> bool;
}

type kind = {
  make : unit -> t;
  room : int;
      (** the number of puts that do not wait; small if further puts wait; 0 if
          all puts wait *)
  numbered : bool;  (** a message identifies its put *)
  fair : bool;  (** takers are served in the order of arrival *)
}

val scenarios : kind -> (string * (Env.t -> unit)) list
