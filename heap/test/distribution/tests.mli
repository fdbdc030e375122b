(** What becomes of a test when all is done, natively, that it asks for. *)

type outcome =
  | Passed
  | Failed of string  (** why *)
  | Other of string
      (** no native program that ran and was right was asked for: why not *)

val run :
  library:string ->
  work:string ->
  Actions.runtime ->
  string ->
  Tsl.tree ->
  outcome list
(** [run ~library ~work runtime file tree] does it in the folder [work], and
    says what became of each end of [tree], from the left. [library] is what
    {!Actions.library} made. *)
