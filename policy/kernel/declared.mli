(** What the C file says of a policy before and beside its handlers: sizes,
    states and attributes, the orders of queues, and what attributes begin with.
    Each function gives lines of C. *)

type t = {
  policy : Dromos_policy_core.Core.policy;
  lines : Stmt.lines;  (** of the policy's text, to be quoted *)
  sites : Expr.sites;  (** counted while the handlers are written *)
  written : (string, unit) Hashtbl.t;
      (** functions that stand in the file already *)
  keys : Dromos_policy_core.Core.attribute list;
      (** by which some queue is in order *)
}

val keys_in :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** By which queues are in order. *)

val parameters : t -> cores:int -> threads:int -> string list
(** Sizes, to be asked after the handlers are written: how many lists loops need
    is known then. *)

val declarations : t -> string list
(** Before the machine's text, which asks for them. *)

val orders : t -> string list
(** After the machine's text: keys, and the load of a thread. *)

val beginnings : t -> string list
(** What attributes begin with, and what the kernel says of a task. *)

val unknown :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** Attributes of the system that nobody will set. *)
