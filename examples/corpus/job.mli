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
(** What the parts of the job come to. *)

val blocks : Ints.t -> int
(** How many steps counting the phrases of a text takes. *)

val words_by_file : Scan.status array -> int array
(** Of the text files, in order. *)

val parallel : Progress.t -> options -> string list -> figures
(** Made of parallel loops: inside {!Dromos.run} by its workers; outside, the
    same code on one thread. *)

val sequential : Progress.t -> options -> string list -> figures
(** Straightforward sequential code: one loop over the files, one vocabulary,
    one table. Shares with {!parallel} what handles one file, one word and one
    table entry, and nothing of how the work is cut and put together. *)

val differences : figures -> figures -> string list
(** The names of the figures that are not the same. *)

val warm_up : Progress.t -> string list -> unit
(** Walks the tree and reads every file once, so that passes timed afterwards
    find them all in memory. *)
