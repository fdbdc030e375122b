(** Waits of Dromos tasks for Lwt. The documentation of the public part is in
    {!Dromos_lwt}. *)

val in_lwt : (unit -> 'a Lwt.t) -> 'a
val await : 'a Lwt.t -> 'a
