(** Which kernel is booted. It must have sched_ext and describe its types (BTF).
*)

type t = {
  image : string;
  release : string;
      (** "6.18.15+deb13-cloud-amd64"; the file's name at worst *)
  origin : string;  (** where it was found, for a message *)
}

exception None_found of string
(** One line, or a few. *)

val choose : say:(string -> unit) -> string option -> t
(** The one that was named (an image, or Debian's package of one), else one that
    was fetched before, else this machine's own, else Debian's newest that apt
    has or can have from the suite of backports; that takes a download, of which
    [say] tells.
    @raise None_found
    @raise Tools.Missing
    @raise Tools.Failed *)

val here : unit -> t option
(** One that needs no download. *)

(** {1 For tests} *)

val lacks : string -> string list
(** [lacks config]: of what is needed, what the text of a kernel's configuration
    does not have. *)

val version : string -> int list
(** ["6.18.15+deb13-cloud-amd64"] is [[6; 18; 15]]. *)

val offered : string -> string list
(** The packages, newest first, among lines of [apt-cache search] that may be
    new enough. *)
