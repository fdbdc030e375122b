(** The constructs of the grammar: for each a policy that has it, one that has
    not or has another, and a misuse. *)

type change = string * string
(** What stands in the base policy, and what stands there instead. *)

type row = {
  construct : string;
  covers : string list;  (** productions of policy/syntax/parser.mly *)
  with_ : change list;
  without : change list;  (** runs must differ from those of [with_] *)
  misuse : change list;  (** is refused *)
  says : string;  (** part of what is said then *)
}

type refusal = {
  refused : string;
  by : string list;  (** productions *)
  written : change list;
  why : string;  (** part of the message *)
}

val text : change list -> string
(** The base policy with these changes. *)

val rows : row list
val refusals : refusal list

val glue : string list
(** Productions that only hold others together. *)
