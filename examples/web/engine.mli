(** Where the service computes. Dromos is what the program is about; the others
    are there to be compared with it. All functions are for Lwt's thread. *)

type each = Documents.Comparison.each
(** In parallel where the engine can; it is left by an exception soon after its
    computation was cancelled. *)

type t = {
  name : string;
  compute : 'a. (each -> 'a) -> 'a Lwt.t;
      (** [Lwt.cancel] on the promise ends the computation *)
  block : 'a. (unit -> 'a) -> 'a Lwt.t;
      (** for calls that block their thread *)
  ask : 'a 'b. (unit -> 'a) -> ('a -> 'b) -> 'b Lwt.t;
      (** [ask f g] blocks in [f], and computes [g] of its result *)
  figures : unit -> string;  (** in Prometheus' text form *)
  stop : unit -> unit Lwt.t;
}

val dromos : ?workers:int -> ?hub:Dromos.Hub.t -> ?preempt:bool -> unit -> t
(** A runtime, oldest request first ([Dromos.Hub.fifo]) if no [hub] is given.
    With [preempt] (the default) a piece of a computation that calls nothing
    gives way to the others, and is cancelled, within some 10 ms. *)

val threads : unit -> t
(** [Lwt_preemptive]: threads of Lwt's own domain. *)

val loop : unit -> t
(** On Lwt's own thread, which serves nobody meanwhile. *)
