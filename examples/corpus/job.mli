(** The whole job, in parallel and in sequence, and its figures. *)

type options = { n : int;  (** words in an n-gram *) top : int }

type figures = {
  files : int;  (** text files *)
  binaries : int;
  links : int;  (** symbolic links, not followed *)
  bytes : int;
  lines : int;
  words : int;
  distinct_words : int;
  ngrams : Ngrams.t;
  duplicates : Dupes.group list;
  errors : (string * string) list;
      (** paths that could not be read, and why, sorted *)
}

val figures :
  Walk.t ->
  Scan.status array ->
  distinct_words:int ->
  Ngrams.t ->
  Dupes.t ->
  figures
(** The figures of a job, from the results of its parts. *)

val blocks : Ints.t -> int
(** [blocks text]: the progress steps of counting the phrases of [text]. *)

val words_by_file : Scan.status array -> int array
(** The words of each text file, in order. *)

val parallel : Loops.t -> Progress.t -> options -> string list -> figures
(** The job as parallel loops. *)

val sequential : Progress.t -> options -> string list -> figures
(** Plain sequential code: a loop over the files, a vocabulary, a table.
    [sequential] and {!parallel} share the functions for a file, a word and a
    table entry, and no code that cuts the work or joins results. *)

val differences : figures -> figures -> string list
(** The names of the figures that differ. *)

val warm_up : Progress.t -> string list -> unit
(** Walks the tree and reads every file once. Later, timed passes find all files
    in memory. *)
