(** Lwt's side of a task of a {!Dromos.Runtime}. Internal; the documentation of
    the public part is in {!Dromos_lwt}. On the loop's thread. *)

type 'a task = {
  promise : 'a Lwt.t;
  event : (unit -> bool) Dromos_sync.Event.t;
      (** starts the task; choose the event once *)
  started : (unit -> bool) -> unit;  (** to be called with the event's result *)
}

val task : Loop.t -> Dromos.Runtime.t -> (unit -> 'a) -> 'a task

val default : unit -> Dromos.Runtime.t
(** The runtime of the process. *)
