val name : Fault.t -> string
(** The fault in words. *)
