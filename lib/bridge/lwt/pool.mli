(** A Dromos run beside Lwt's loop. The public part is documented in
    {!Dromos_lwt.Pool}. *)

type t

val start : ?workers:int -> ?hub:Dromos.Hub.t -> unit -> t
val default : unit -> t

val submit : Loop.t -> t -> (unit -> 'a) -> 'a Lwt.t
(** On the loop's thread. *)

val stop : Loop.t -> t -> unit Lwt.t
(** On the loop's thread. *)
