(** Markdown of the guides: headings, paragraphs, code in fences or indented,
    lists, tables; code, bold, italics and links in the text. The parser drops
    comments, mdx's too, and refuses every other construct: a page loses nothing
    silently. *)

type inline =
  | Text of string
  | Code of string
  | Bold of inline list
  | Italic of inline list
  | Link of { line : int; target : string; text : inline list }

type block =
  | Heading of int * inline list  (** level 1 is the title *)
  | Paragraph of inline list
  | Block of { language : string; code : string }
      (** the language is [""] if the fence names none *)
  | Bullets of block list list
  | Numbers of block list list
  | Table of { head : inline list list; rows : inline list list list }

exception Fault of int * string
(** The line, from 1, and the fault. *)

val parse : string -> block list
(** Raises {!Fault}. *)

val plain : inline list -> string
(** The text alone. *)
