(** Code in direct style on Lwt's thread. Internal; the public part is
    documented in {!Dromos_lwt}. *)

val start : Loop.t -> (unit -> 'a) -> 'a Lwt.t
(** On the loop's thread. *)

val inside : unit -> bool
(** Whether the caller runs in one. *)
