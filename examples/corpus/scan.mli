(** Reading and counting: from files to numbers and word numbers.

    Files are taken in batches of about 128 KiB with a common vocabulary, since
    a vocabulary for each small file would be expensive. A fiber reads a large
    file, and its pieces are counted in parallel, inside the parallel loop over
    batches. *)

type status =
  | Text of { bytes : int; lines : int; words : int; digest : string }
      (** the digest is [""] for a file of unique size *)
  | Binary
  | Unreadable of string

type piece = { vocab : Vocab.t; ids : Ints.t }
(** A run of words, numbered by the piece's own vocabulary. *)

type t = { statuses : status array;  (** by file *) pieces : piece array }
(** The pieces in order have the words of all files in order. *)

val twins : Walk.file array -> bool array
(** True for a file of a size that another file has too: the file may be a
    duplicate. *)

val batches : Walk.file array -> (int * int) array
(** [(from, until)] of each batch. *)

val batch :
  Loops.t ->
  Progress.t ->
  Walk.file array ->
  bool array ->
  int * int ->
  status array * piece array
(** Reads and counts a batch, given {!twins}. *)

val parallel : Loops.t -> Progress.t -> Walk.file array -> t

val sequential : Progress.t -> Walk.file array -> t
(** Like [parallel], as a plain loop with a single vocabulary: the result has a
    single piece. *)
