(** The programs of the system that a boot needs, and the packages of missing
    programs. *)

val find : string -> string option
(** The path of a program, by PATH and the [sbin] directories. *)

val need : string -> string
(** The path of one of: qemu, clang, cc, ldd, apt-get, apt-cache, dpkg-deb, tar;
    or of the folder with libbpf's headers, for libbpf. Clang may have a version
    in its name (clang-19), and the first clang from version 18 on is taken.
    @raise Missing *)

exception Missing of string
(** One line that names the missing program, or the version that is too old, and
    the Debian package. *)

exception Failed of string
(** A program failed; the text is what the program printed. *)

val missing : string list -> string list
(** The line of {!Missing} for each name of {!need} whose program is missing. *)

val multiarch : string
(** The place of the kernel's headers in a distribution for several
    architectures. *)

val libbpf_in : string list -> (string, string) result
(** The first of the folders with libbpf's headers, or the line of {!Missing} if
    no folder has them, or if the first has a version before 1.4. *)

val read : string list -> string
(** The standard output of a command.
    @raise Failed with the command's errors if the command fails *)

val run : string list -> unit
(** Runs a command; the command's output goes to standard error at once.
    @raise Failed if the command fails *)
