(** The hub of a policy, compiled and loaded while the program starts. *)

val load : string -> Dromos.Hub.t
(** The hub of a policy in a file. [dromos policy compile] translates the policy
    to OCaml, [ocamlfind ocamlopt -shared] makes a plug-in, and Dynlink loads
    the plug-in. Takes a second or two. Needs the compiler, and the build tree
    of the program. Raises [Failure] with the reason: the message of the policy
    compiler, or the missing tool. *)
