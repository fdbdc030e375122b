(** What every bridged scheduler must do, whichever it is. *)

type host = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;
      (** starts the scheduler with a wrapped task, and stops it *)
  together : (unit -> unit) list -> unit;
      (** inside [main]: wrapped tasks, at the same time; waits for all *)
}

val cases : host -> unit Alcotest.test_case list

val raising : int -> 'a
(** Raises [Boom], from a place that a backtrace names. *)

exception Boom of int

val names_raising : Printexc.raw_backtrace -> bool

val misplaced : string -> unit -> unit
(** A test, for inside the host's [main]: [Dromos.run] is refused, with this
    word in what it says. *)

val waiting : 'a Dromos_suspend.resumer option Atomic.t -> 'a
(** Suspends the caller; its resumer is left in the cell. *)

val resumer :
  'a Dromos_suspend.resumer option Atomic.t -> 'a Dromos_suspend.resumer
(** The resumer, once it is there; spins. For another domain. *)

val backtraces : (unit -> 'a) -> 'a
(** With backtraces recorded, on this domain and those that it starts meanwhile.
*)
