(** The regular files under some directories.

    Directories are read in parallel; every subdirectory is a branch of its own.
    Symbolic links inside the tree are counted and not followed, so there are no
    loops; a path given by the user may be a link. Other special files are left
    out. *)

type file = { path : string; size : int; dev : int; ino : int }

type t = {
  files : file array;  (** sorted by path, each path once *)
  links : int;
  errors : (string * string) list;  (** path and reason, sorted *)
}

val roots : string list -> (string list, string) result
(** The paths to walk, without paths inside another path. The error names the
    first path that does not exist or is neither a directory nor a file. *)

val parallel : Loops.t -> string list -> t
val sequential : string list -> t
