(** A number that each fiber of a scheduler carries, and that others may change:
    its priority, its deadline. Internal, for schedulers on a {!Shared_queue}.

    It is kept in the fiber's storage, so that what the fiber makes inherits it.
    A fiber has a cell of its own from when a scheduler first has it in hand
    ({!own}); until then it reads its maker's.

    {b A change is not lost} between the queue and the cell: everybody writes
    the cell first and tells the queue afterwards ({!settle}), and whoever adds
    the fiber looks at the cell once more ({!line_up}). Both are atomic words.
*)

type key

val new_key : unit -> key

type t
(** A fiber's cell. *)

val get : t -> int
val set : t -> int -> unit

val is_under : t -> Shared_queue.t -> bool
(** Whether that queue was the last that the fiber lined up in. *)

(** {1 By the fiber itself} *)

val find : key -> int option
(** As {!Fls.find}. *)

val write : key -> int -> unit
(** As {!Fls.set}. *)

val here : key -> t option
(** The caller's own cell; not that of its maker. *)

(** {1 By who has the fiber in hand} *)

val give : key -> Core.fiber -> int -> unit

val own : key -> Core.fiber -> under:Shared_queue.t -> default:int -> t
(** The fiber's own cell, made now with what it inherits, else [default]. *)

(** {1 By anybody} *)

val of_fiber : call:string -> key -> Core.fiber -> t
(** The cell of a fiber that a scheduler has had in hand. Raises
    [Invalid_argument] in the name of [call] if none has. *)

(** {1 In the queue}

    [read ()] is what counts now, [rank ~arrival] makes a rank of it, where
    [arrival] is the number of those that came before the fiber. *)

val line_up :
  Shared_queue.t ->
  Core.fiber ->
  read:(unit -> int) ->
  rank:(arrival:int -> int -> int) ->
  unit
(** {!Shared_queue.add}. *)

val settle :
  Shared_queue.t ->
  Core.fiber ->
  read:(unit -> int) ->
  rank:(arrival:int -> int -> int) ->
  unit
(** {!Shared_queue.set_rank}, by who has changed what [read] answers. *)
