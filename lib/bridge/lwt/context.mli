(** {!Dromos.Fls} in Lwt code: kept by Lwt's own storage, which callbacks have
    from where they were bound. Internal; on Lwt's thread only. *)

val provide : unit -> unit -> unit
(** {!Dromos.Fls.provide} for the calling thread. *)

val read : unit -> Dromos.Fls.storage
val within : Dromos.Fls.storage -> (unit -> 'a) -> 'a
