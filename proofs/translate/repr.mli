(** How values of each type are represented. *)

open Types

(** {1 Types}

    Abbreviations are expanded. *)

val is_int : Env.t -> type_expr -> bool

val is_immediate : Env.t -> type_expr -> bool
(** [int], [bool], [unit] or [char]. *)

(** {1 Records}

    Of fields given by any one of them. *)

val is_filler : string -> type_expr -> bool
(** Whether a field of this name and type is dropped. *)

val is_dropped : label_description -> bool
val kept : label_description -> label_description list

val is_block : label_description -> bool
(** Whether the record has a mutable field, and is a location. *)

val position : Location.t -> label_description -> int
(** Among the fields that are kept; refuses one that is not. *)

val labels : Env.t -> type_expr -> label_description list option

val has_prophecy : Env.t -> type_expr -> bool
(** Whether records of this type have one more field, for a prophecy. *)

(** {1 Variants} *)

type constructor = Constant of int | Block of int

val constructor : Location.t -> constructor_description -> constructor

type shape =
  | Constants  (** [#i] *)
  | One_block  (** [InjLV #i] (of a single one, [InjLV #()]), [InjR payload] *)
  | Two_blocks  (** [InjL payload], [InjR payload] *)
  | Tagged  (** [InjLV #i], [InjR (#tag, payload)] *)

val shape : constructor_description -> shape
val shape_of : consts:int -> blocks:int -> shape

val constant_of : consts:int -> blocks:int -> int -> Heaplang.literal
(** The literal by which a constant is known. *)

val inject :
  Location.t -> constructor_description -> Heaplang.expr -> Heaplang.expr

(** {1 Physical comparison}

    It is allowed where OCaml defines it and HeapLang's is the same: on
    immediates and on blocks with a mutable field. *)

val inlined_is_block : constructor_arguments -> bool

val comparable_type : Env.t -> type_expr -> bool
(** All values of this type. *)

val comparable_constructor : constructor_description -> bool
(** All that this constructor makes. *)
