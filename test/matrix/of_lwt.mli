(** Lwt, with its loop on a domain of its own. *)

val promises : Party.kind
(** Code in Lwt's own style: [Dromos_lwt.sync]. *)

val fibers : Party.kind
(** Code in direct style on Lwt's thread: [Dromos_lwt.fiber]. *)
