(** Dromos tasks that wait for Lwt. The public part is documented in
    {!Dromos_lwt}. *)

val in_lwt : (unit -> 'a Lwt.t) -> 'a
val await : 'a Lwt.t -> 'a
