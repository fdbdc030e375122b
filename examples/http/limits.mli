(** The bounds that keep a server answering whatever its clients do. *)

type t = {
  connections : int;
      (** the most that are open at a time. For one more, the server closes the
          connection that has waited longest for its client; if the server
          itself is at work for all of them, the new client waits. *)
  head : float;  (** seconds for a request's head, from its first byte *)
  idle : float;  (** seconds between two requests of a connection *)
  stalled : float;
      (** seconds in which a client sends at least a byte of a body, or takes a
          part of an answer *)
}

val default : t
(** 900 connections, 10 s, 60 s, 20 s. *)

val term : t Cmdliner.Term.t
(** The options [--connections], [--head-time], [--idle-time] and
    [--stalled-time]. *)

val within_descriptors : t -> t
(** With fewer connections if the process may not have so many descriptors: 64
    remain for other uses. Where the number is not known (there is no
    [/proc/self/limits]), the result is the argument. *)
