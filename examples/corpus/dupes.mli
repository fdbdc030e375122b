(** Files with the same content.

    Candidates agree in size and digest; then their bytes are compared, so that
    the answer does not rest on a digest. Empty files are no duplicates. *)

type group = { size : int; paths : string list; spare : int }
(** [paths] sorted, at least two; [spare] is what deleting all but one would
    free, in bytes: hard links of one file take no room of their own. *)

type t = { groups : group list; errors : (string * string) list }
(** Largest [spare] first, then by path. *)

val parallel : Progress.t -> Walk.file array -> Scan.status array -> t

val by :
  (int -> (int -> t) -> combine:(t -> t -> t) -> t -> t) ->
  Progress.t ->
  Walk.file array ->
  Scan.status array ->
  t
(** With a loop of the caller's: [loop n map ~combine zero]. *)

val sequential : Progress.t -> Walk.file array -> Scan.status array -> t
