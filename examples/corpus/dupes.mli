(** Files with the same content.

    Candidates agree in size and digest. Then their bytes are compared, so that
    the answer does not depend on a digest. Empty files are no duplicates. *)

type group = { size : int; paths : string list; spare : int }
(** [paths] are sorted, at least two. [spare] is the number of bytes freed by
    deleting all files but one: hard links of one file use no space of their
    own. *)

type t = { groups : group list; errors : (string * string) list }
(** Largest [spare] first, then by path. *)

val parallel :
  Loops.t -> Progress.t -> Walk.file array -> Scan.status array -> t

val by :
  (int -> (int -> t) -> combine:(t -> t -> t) -> t -> t) ->
  Progress.t ->
  Walk.file array ->
  Scan.status array ->
  t
(** With a loop of the caller: [loop n map ~combine zero]. *)

val sequential : Progress.t -> Walk.file array -> Scan.status array -> t
