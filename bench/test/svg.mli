(** A small part of XML, enough to check that a drawn file is well-formed. *)

val elements : string -> (int, string) result
(** The number of elements, or the error: tags that do not match, attributes
    without quotes, a bare [&] or [<]. *)
