(** What is wrong with a policy, for people: where, what, and what to do. *)

type severity = Error | Warning

type t = {
  severity : severity;
  at : Dromos_policy_core.Core.place;
  message : string;
  hint : string option;  (** what to do *)
  judged : bool;
      (** an obligation decides the same ([conservation]): no matter where that
          is asked *)
}

exception Fault of t
(** Within the front end only; no function that users call raises it. *)

val fail : ?hint:string -> Dromos_policy_core.Core.place -> string -> 'a
val error : ?hint:string -> Dromos_policy_core.Core.place -> string -> t

val warning :
  ?hint:string -> ?judged:bool -> Dromos_policy_core.Core.place -> string -> t

val to_string : ?source:string -> t -> string
(** [file:line:column: message], columns from 1 as editors count them, then,
    given the source, the line with a caret under the place, then the hint. *)

val compare : t -> t -> int
(** By place. *)
