(** The choice of a kernel that has sched_ext and describes its types (BTF). *)

type t = {
  image : string;
  release : string;  (** "6.18.15+deb13-cloud-amd64", or the file's name *)
  origin : string;  (** the place where the image was found, for a message *)
}

exception None_found of string
(** No kernel can be booted; the text says why, in a line or a few. *)

val choose : say:(string -> unit) -> string option -> t
(** Takes the named image or Debian package, else a kernel that was fetched
    before, else this machine's own kernel, else Debian's newest package: of the
    suites that apt has, or of backports. A package is downloaded, and [say] is
    told of the progress.
    @raise None_found
    @raise Tools.Missing
    @raise Tools.Failed *)

val here : unit -> t option
(** A kernel that {!choose} takes without a download. *)

(** {1 For tests} *)

val lacks : string -> string list
(** [lacks config] names the options that a policy needs and that the text of a
    kernel's configuration does not set. *)

val version : string -> int list
(** ["6.18.15+deb13-cloud-amd64"] is [[6; 18; 15]]. *)

val offered : string -> string list
(** The kernel packages of 6.13 or later in lines of [apt-cache search], newest
    first. *)
