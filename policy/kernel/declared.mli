(** The parts of the C file before and beside a policy's handlers: sizes, states
    and attributes, the orders of queues, and the initial values of attributes.
    Each function gives lines of C. *)

type t = {
  policy : Dromos_policy_core.Core.policy;
  lines : Stmt.lines;  (** the lines of the policy's text, for quotes *)
  sites : Expr.sites;  (** counted while the handlers are written *)
  written : (string, unit) Hashtbl.t;
      (** the functions that stand in the file already *)
  keys : Dromos_policy_core.Core.attribute list;
      (** the attributes by which some queue is ordered *)
}

val keys_in :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** The attributes by which queues are ordered. *)

val parameters : t -> cores:int -> threads:int -> string list
(** The sizes. Call [parameters] after the handlers are written: only then the
    number of lists for loops is known. *)

val declarations : t -> string list
(** The text before the machine's text, which calls these functions. *)

val orders : t -> string list
(** The text after the machine's text: keys, and the load of a thread. *)

val beginnings : t -> string list
(** The initial values of attributes, and the kernel's data about a task. *)

val unknown :
  Dromos_policy_core.Core.policy -> Dromos_policy_core.Core.attribute list
(** The attributes of the system that the kernel never sets. *)
