(** Code in direct style on Lwt's thread. Internal; the documentation of the
    public part is in {!Dromos_lwt}. *)

val start : Loop.t -> (unit -> 'a) -> 'a Lwt.t
(** Callers are on the loop's thread. *)

val inside : unit -> bool
(** True if the caller runs in a fiber. *)
