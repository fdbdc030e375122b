(** The constructs of the grammar, each with a policy that uses the construct, a
    policy without, and a misuse. *)

type change = string * string
(** A text of the base policy, and its replacement. *)

type row = {
  construct : string;
  covers : string list;  (** productions of policy/syntax/parser.mly *)
  with_ : change list;
  without : change list;  (** runs must differ from those of [with_] *)
  misuse : change list;  (** is refused *)
  says : string;  (** part of the message for the misuse *)
}

type refusal = {
  refused : string;
  by : string list;  (** productions *)
  written : change list;
  why : string;  (** part of the message *)
}

val text : change list -> string
(** The base policy with the changes. *)

val rows : row list
val refusals : refusal list

val glue : string list
(** Productions that only hold others together. *)
