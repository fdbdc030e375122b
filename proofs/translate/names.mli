(** From OCaml's names to Coq's: value [push] of [Dromos_base.Queue] is
    [base_queue_push], defined in [base/queue_code.v]. *)

type unit_ = { folder : string; name : string }

type folders = (string * string) list
(** The folder that the files of each library go to. *)

val of_unit_name : folders -> string -> unit_ option
(** Of the compiler's name of a module, such as [Dromos_base__Queue]; [None] if
    its library is not among these. *)

val coq : unit_ -> string -> string
(** The name of a value. *)

val file : unit_ -> string
(** The name of the file, without [.v]. *)

val of_path : Path.t -> string
(** [Path.name], but without quotes round keywords such as [mod]. *)

val of_stdlib : string -> string
(** [Stdlib.Array] for [Stdlib__Array]. *)
