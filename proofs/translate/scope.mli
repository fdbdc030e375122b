(** What names stand for while an expression is translated. *)

type meaning =
  | Expression of Heaplang.expr
  | Untranslated of string  (** why *)

type exports
(** What each translated file defines. *)

val no_exports : unit -> exports

type t = {
  exports : exports;
  folders : Names.folders;
  unit_ : Names.unit_;
  unit_name : string;  (** the compiler's *)
  toplevel : (Ident.t * meaning) list;  (** of this file *)
  known : Ident.t list;  (** bound to something that may be compared *)
  ghosts : string list;  (** bound by [[@fresh]] *)
  uses : (string, unit) Hashtbl.t;  (** the files that are referred to *)
}

val create : Names.folders -> exports -> Names.unit_ -> string -> t
val define : t -> Ident.t -> meaning -> t

val export : t -> Location.t -> Ident.t -> meaning -> t
(** {!define}, for the files as well that are translated later. Refuses a name
    that the file has defined already. *)

val know : t -> Ident.t list -> t
val with_ghost : t -> string -> t
val is_known : t -> Ident.t -> bool
val environment : Typedtree.expression -> Env.t

(** {1 Looking names up} *)

val of_own : t -> Location.t -> Ident.t -> Heaplang.expr
(** A local variable, or a toplevel value of this file. *)

type outside = Stdlib of string | Unit of Names.unit_ * string | Other

val outside : t -> Env.t -> Path.t -> outside
(** Whose value it is, aliases of modules resolved. *)

val of_other : t -> Location.t -> Names.unit_ -> string -> Heaplang.expr
(** A value of another file, which is noted as used. *)
