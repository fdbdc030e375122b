(** Properties of every bridged scheduler. *)

type host = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;
      (** starts the scheduler with a wrapped task, and stops the scheduler *)
  together : (unit -> unit) list -> unit;
      (** inside [main]: runs wrapped tasks at the same time, and waits for all
      *)
}

val cases : host -> unit Alcotest.test_case list

val raising : int -> 'a
(** Raises [Boom], from a place named in the backtrace. *)

exception Boom of int

val names_raising : Printexc.raw_backtrace -> bool

val misplaced : string -> unit -> unit
(** A test inside the host's [main]: [Dromos.run] is refused, with the given
    word in the message. *)

val waiting : 'a Dromos_suspend.resumer option Atomic.t -> 'a
(** Suspends the caller, and leaves the caller's resumer in the cell. *)

val resumer :
  'a Dromos_suspend.resumer option Atomic.t -> 'a Dromos_suspend.resumer
(** Spins until the cell has the resumer; returns the resumer. For another
    domain. *)

val backtraces : (unit -> 'a) -> 'a
(** Calls the function with backtraces recorded, on this domain and on domains
    started meanwhile. *)
