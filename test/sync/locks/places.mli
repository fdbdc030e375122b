(** The places where parties run: fibers on each hub, threads, domains, all
    together. *)

type t = {
  name : string;
  at_once : (unit -> unit) list -> unit;
      (** runs all parties at the same time, to the end; raises an exception of
          any party *)
  pause : unit -> unit;  (** lets further parties go first *)
}

val all : t list

val each : string -> (t -> unit) -> unit Alcotest.test_case list
(** A test case for each place. *)

val fail : ('a, unit, string, 'b) format4 -> 'a
val equal : string -> int -> int -> unit
val ensure : string -> bool -> unit

val raises_text : string -> string list -> (unit -> 'a) -> unit
(** Expects [Invalid_argument] with a text that contains all parts. *)

val times_out : string -> (unit -> 'a) -> unit
