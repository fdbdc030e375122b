(** The values that requests may have; for {!Answer.field} and
    {!Answer.parameter}. *)

(** {1 Fields of JSON} *)

val text : string -> Yojson.Safe.t -> string option
(** [text name json]: a string. Refuses a string that is not UTF-8 or has a zero
    byte; [name] is for the message. *)

val share : Yojson.Safe.t -> float option
(** A number from 0 to 1. *)

val numbers : Yojson.Safe.t -> int list option

(** {1 Parts of the address} *)

val deadline : string -> float option
(** A decimal number of seconds, an hour at most. *)

val limit : string -> int option
(** 1 to 100. *)

val number : string -> int
(** A document's or a job's number. Refuses what is no decimal number with 400,
    and what is beyond an [int] with 404. *)
