(** The debug mode of [DROMOS_DEBUG]. Internal. *)

val on : bool
(** [DROMOS_DEBUG] is set, and not to [0]. *)
