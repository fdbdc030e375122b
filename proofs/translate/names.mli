(** Translates OCaml's names into Coq's: value [push] of [Dromos_base.Queue] is
    [base_queue_push], defined in [base/queue_code.v]. *)

type unit_ = { folder : string; name : string }

type folders = (string * string) list
(** The folder for the generated files of each library. *)

val of_unit_name : folders -> string -> unit_ option
(** [of_unit_name folders name]: [name] is the compiler's name of a module, for
    example [Dromos_base__Queue]. The result is [None] if [folders] lacks the
    module's library. *)

val coq : unit_ -> string -> string
(** [coq unit_ value] is the Coq name of a value. *)

val file : unit_ -> string
(** The name of the generated file, without [.v]. *)

val of_path : Path.t -> string
(** [Path.name], but without quotes round keywords, for example [mod]. *)

val of_stdlib : string -> string
(** [Stdlib.Array] for [Stdlib__Array]. *)
