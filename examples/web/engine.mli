(** The engines in which the service computes. The program is about Dromos; the
    other engines are there for comparison. All functions are for Lwt's thread.
*)

type each = Documents.Comparison.each
(** A loop, parallel where the engine can. If the computation is cancelled, the
    loop soon raises. *)

type t = {
  name : string;
  compute : 'a. (each -> 'a) -> 'a Lwt.t;
      (** [Lwt.cancel] on the promise ends the computation *)
  block : 'a. (unit -> 'a) -> 'a Lwt.t;
      (** for calls that block their thread *)
  ask : 'a 'b. (unit -> 'a) -> ('a -> 'b) -> 'b Lwt.t;
      (** [ask f g] blocks in [f], and computes [g] of the result *)
  figures : unit -> string;  (** in Prometheus' text form *)
  stop : unit -> unit Lwt.t;
}

val dromos : ?workers:int -> ?hub:Dromos.Hub.t -> ?preempt:bool -> unit -> t
(** A runtime; by default oldest request first ([Dromos.Hub.fifo]). With
    [preempt] (the default) a piece of a computation gives way to other tasks,
    and is cancelled, within some 10 ms, even if the piece calls no function of
    Dromos. *)

val threads : unit -> t
(** [Lwt_preemptive]: threads of Lwt's own domain. *)

val loop : unit -> t
(** On Lwt's own thread, which serves no request meanwhile. *)
