(** Just enough of XML to tell whether a file that we drew is well-formed. *)

val elements : string -> (int, string) result
(** The number of elements, or what is wrong: tags that do not match, attributes
    without quotes, a bare [&] or [<]. *)
