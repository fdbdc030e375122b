(** {!Dromos.Fls} in Lwt code, and Lwt's own keys in code of Dromos. The storage
    of {!Dromos.Fls} is kept in Lwt's own storage, and a callback has the
    storage of the place where the callback was bound. Internal; on Lwt's thread
    only, except {!offloader}. *)

val provide : unit -> unit -> unit
(** {!Dromos.Fls.provide} for the calling thread. *)

val read : unit -> Dromos.Fls.storage
val within : Dromos.Fls.storage -> (unit -> 'a) -> 'a

(** {1 Lwt's keys} *)

type place
(** A place in Lwt code, with the values of all of Lwt's keys there. *)

val here : unit -> place

val at : place -> (unit -> 'a) -> 'a
(** [at place f] is [f ()], with the values that Lwt's keys have at the place.
*)

val offloading : (unit -> 'a) -> unit -> 'a
(** The function, for a task that the calling Lwt code is about to make:
    {!offloader} is then the place of the call, in the task and in its tasks. *)

val offloader : unit -> place option
(** From anywhere. *)

val at_offloader : place option -> Dromos.Fls.storage -> (unit -> 'a) -> 'a
(** {!at} the place, if any, and {!within} the storage. *)
