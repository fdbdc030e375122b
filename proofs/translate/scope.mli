(** The meaning of names while an expression is translated. *)

type meaning =
  | Expression of Heaplang.expr
  | Untranslated of string  (** the reason *)

type exports
(** The definitions of all translated files. *)

val no_exports : unit -> exports

type t = {
  exports : exports;
  folders : Names.folders;
  unit_ : Names.unit_;
  unit_name : string;  (** the compiler's name of the module *)
  toplevel : (Ident.t * meaning) list;  (** values of this file *)
  known : Ident.t list;  (** variables whose values may be compared *)
  ghosts : string list;  (** variables bound by [[@fresh]] *)
  uses : (string, unit) Hashtbl.t;  (** files to which this file refers *)
}

val create : Names.folders -> exports -> Names.unit_ -> string -> t
val define : t -> Ident.t -> meaning -> t

val export : t -> Location.t -> Ident.t -> meaning -> t
(** {!define}, also for the files that are translated later. Refuses a name that
    the file has defined already. *)

val know : t -> Ident.t list -> t
val with_ghost : t -> string -> t
val is_known : t -> Ident.t -> bool
val environment : Typedtree.expression -> Env.t

(** {1 Looking names up} *)

val of_own : t -> Location.t -> Ident.t -> Heaplang.expr
(** A local variable, or a toplevel value of this file. *)

type outside = Stdlib of string | Unit of Names.unit_ * string | Other

val outside : t -> Env.t -> Path.t -> outside
(** The owner of the value at a path, with module aliases resolved. *)

val of_other : t -> Location.t -> Names.unit_ -> string -> Heaplang.expr
(** A value of another file. The function adds the file to [uses]. *)
