(** Runtimes that have not been stopped when the program exits. Internal. *)

type runtime = {
  cancel : unit -> unit;  (** stops the runtime, without waiting *)
  over : unit -> bool;  (** the runtime has ended *)
  inside : unit -> bool;  (** the caller is a fiber of the runtime *)
}

val add : runtime -> unit
(** At exit the runtime is cancelled, and [exit] waits until it has ended: at
    most half a second for all runtimes together. A fiber of the runtime that
    calls [exit] does not wait, since the runtime would wait for the fiber. *)
