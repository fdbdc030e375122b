(** Reading and counting: from files to numbers and word numbers.

    Files are taken in batches of about 128 KiB that share a vocabulary, so that
    small files do not pay for one each; a large file is read by one fiber and
    its pieces are counted in parallel, inside the parallel loop over batches.
*)

type status =
  | Text of { bytes : int; lines : int; words : int; digest : string }
      (** the digest is [""] where no other file has the same size *)
  | Binary
  | Unreadable of string

type piece = { vocab : Vocab.t; ids : Ints.t }
(** A run of words, numbered by a vocabulary that other pieces do not share. *)

type t = { statuses : status array;  (** by file *) pieces : piece array }
(** The pieces one after the other are the words of all files in order. *)

val twins : Walk.file array -> bool array
(** Whether another file has the same size, and may thus be a duplicate. *)

val batches : Walk.file array -> (int * int) array
(** [(from, until)] of each. *)

val batch :
  Progress.t ->
  Walk.file array ->
  bool array ->
  int * int ->
  status array * piece array
(** Reads and counts a batch, given {!twins}. *)

val parallel : Progress.t -> Walk.file array -> t

val sequential : Progress.t -> Walk.file array -> t
(** The same, as one plain loop with one vocabulary: a single piece. *)
