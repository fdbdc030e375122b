(** {!Dromos.Fls} in Lwt code. The storage is kept in Lwt's own storage, and a
    callback has the storage of the place where the callback was bound.
    Internal; on Lwt's thread only. *)

val provide : unit -> unit -> unit
(** {!Dromos.Fls.provide} for the calling thread. *)

val read : unit -> Dromos.Fls.storage
val within : Dromos.Fls.storage -> (unit -> 'a) -> 'a
