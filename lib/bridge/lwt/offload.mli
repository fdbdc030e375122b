(** Lwt's side of a task of a {!Dromos.Runtime}. Internal; the public part is
    documented in {!Dromos_lwt}. On the loop's thread. *)

type 'a task = {
  promise : 'a Lwt.t;
  event : (unit -> bool) Dromos_sync.Event.t;
      (** starts it; to be chosen once *)
  started : (unit -> bool) -> unit;  (** to be told what the event gave *)
}

val task : Loop.t -> Dromos.Runtime.t -> (unit -> 'a) -> 'a task

val default : unit -> Dromos.Runtime.t
(** The process' own. *)
