(** Programs of the system that a boot needs, and what to install where one is
    not there. *)

val find : string -> string option
(** Its path, by PATH; the directories of administrators are looked at too. *)

val need : string -> string
(** The path of one of: qemu, clang, cc, ldd, apt-get, apt-cache, dpkg-deb, tar.
    Clang may have a version in its name (clang-19).
    @raise Missing *)

exception Missing of string
(** One line: what is missing, and the Debian package that has it. *)

exception Failed of string
(** A program did not do what it was to do; its own words. *)

val missing : string list -> string list
(** The lines for those of the names of {!need} that are not there. *)

val read : string list -> string
(** What a command prints.
    @raise Failed with its errors if it fails. *)

val run : string list -> unit
(** The same, for the sake of what it does; what it prints goes to standard
    error at once. *)
