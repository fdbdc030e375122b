(** A policy's hub, compiled and loaded while the program starts. *)

val load : string -> Dromos.Hub.t
(** The hub of a policy in its file: [dromos policy compile] makes OCaml of it,
    [ocamlfind ocamlopt -shared] a plug-in, and the plug-in is loaded (Dynlink).
    Takes a second or two. Needs the built tree in which the program stands, and
    the compiler. Raises [Failure] with what went wrong: what the policy
    compiler says of the file, or what is missing. *)
