(** The outcome of a test after its native actions. *)

type outcome =
  | Passed
  | Failed of string  (** the reason *)
  | Other of string  (** no native program has run; the reason *)

val run :
  library:string ->
  work:string ->
  Actions.runtime ->
  string ->
  Tsl.tree ->
  outcome list
(** [run ~library ~work runtime file tree] runs the test in the folder [work],
    and returns the outcome of each leaf of [tree], from the left. [library] is
    the folder made by {!Actions.library}. *)
