(** The representation of each type's values in HeapLang. *)

open Types

(** {1 Types}

    The functions expand abbreviations. *)

val is_int : Env.t -> type_expr -> bool

val is_immediate : Env.t -> type_expr -> bool
(** True at [int], [bool], [unit] and [char]. *)

(** {1 Records}

    A label stands for its record type: any label of the type will do. *)

val is_filler : string -> type_expr -> bool
(** True if a field of this name and type is dropped. *)

val is_dropped : label_description -> bool
val kept : label_description -> label_description list

val is_block : label_description -> bool
(** True if the record has a mutable field, and is therefore a location. *)

val position : Location.t -> label_description -> int
(** The index of the field among the kept fields. Refuses a dropped field. *)

val labels : Env.t -> type_expr -> label_description list option

val has_prophecy : Env.t -> type_expr -> bool
(** True if records of this type have one more field, for a prophecy. *)

(** {1 Variants} *)

type constructor = Constant of int | Block of int

val constructor : Location.t -> constructor_description -> constructor

type shape =
  | Constants  (** [#i] *)
  | One_block
      (** [InjLV #i] ([InjLV #()] for a single constant), [InjR payload] *)
  | Two_blocks  (** [InjL payload], [InjR payload] *)
  | Tagged  (** [InjLV #i], [InjR (#tag, payload)] *)

val shape : constructor_description -> shape
val shape_of : consts:int -> blocks:int -> shape

val constant_of : consts:int -> blocks:int -> int -> Heaplang.literal
(** The literal for a constant. *)

val inject :
  Location.t -> constructor_description -> Heaplang.expr -> Heaplang.expr

(** {1 Physical comparison}

    Physical comparison is allowed where OCaml defines the result and HeapLang
    gives the same result: on immediates and on blocks with a mutable field. *)

val inlined_is_block : constructor_arguments -> bool

val comparable_type : Env.t -> type_expr -> bool
(** True if all values of this type may be compared. *)

val comparable_constructor : constructor_description -> bool
(** True if all values made by this constructor may be compared. *)
