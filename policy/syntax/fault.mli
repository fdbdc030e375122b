(** A fault of a policy, for people: the place, the message, and what to do. *)

type severity = Error | Warning

type t = {
  severity : severity;
  at : Dromos_policy_core.Core.place;
  message : string;
  hint : string option;  (** what to do *)
  judged : bool;
      (** an obligation ([conservation]) decides the same question: the warning
          does not matter where obligations are checked *)
}

exception Fault of t
(** Used within the front end only; no function for users raises it. *)

val fail : ?hint:string -> Dromos_policy_core.Core.place -> string -> 'a
val error : ?hint:string -> Dromos_policy_core.Core.place -> string -> t

val warning :
  ?hint:string -> ?judged:bool -> Dromos_policy_core.Core.place -> string -> t

val to_string : ?source:string -> t -> string
(** [file:line:column: message], with columns from 1 as in editors. With the
    source, the text has also the line with a caret under the place; the hint
    comes last. *)

val compare : t -> t -> int
(** Compares the places, then the messages. *)
