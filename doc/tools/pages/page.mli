(** Pages for odoc. *)

type site = {
  homepage : string;  (** without a slash at its end *)
  folder : string;
      (** the folder of the guides, from the root of the repository: [doc] *)
  guides : string list;  (** the guides that become pages, from that folder *)
}

val name : string -> string
(** The page of a guide: [a-server.md] is [a-server], [moving/lwt/README.md] is
    [moving-lwt]. Newer versions of dune write [./a-server.md]. *)

val print : site -> guide:string -> Markdown.block list -> string
(** Headings have the labels that links of Markdown expect. A link to a guide
    becomes a reference to the page; a link to another file of the repository
    leads to the homepage's [/blob/main/]. Raises {!Markdown.Fault} for a link
    that leaves the repository. *)
