(** Runtimes that have not been stopped when the program exits. Internal. *)

type runtime = {
  cancel : unit -> unit;  (** stops it, without waiting *)
  over : unit -> bool;  (** it has ended *)
  inside : unit -> bool;  (** the caller is one of its fibers *)
}

val add : runtime -> unit
(** At exit it is cancelled, and waited for, for half a second at most in all;
    not by a fiber of its own, which it would wait for. *)
