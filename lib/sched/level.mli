(** A number of each fiber of a scheduler, which other fibers may change: a
    priority or a deadline. Internal, for {!Ranked}.

    The number is in a cell in the fiber's storage, so children of the fiber
    inherit the cell. A fiber gets a cell of its own when a scheduler first
    holds the fiber ({!own}). Until then the fiber reads the cell of its maker.

    The cell is an atomic word. {!Ranked} keeps the queue up to date with it. *)

type key

val new_key : unit -> key

type t
(** A fiber's cell. *)

val get : t -> int
val set : t -> int -> unit

val is_under : t -> Shared_queue.t -> bool
(** [true] if the fiber was last added to the given queue. *)

(** {1 By the fiber itself} *)

val find : key -> int option
(** The number in the calling fiber's cell, or its maker's; like
    {!Fls.find_opt}. *)

val write : key -> int -> unit
(** Gives the calling fiber a new cell of its own; like {!Fls.set}. *)

val here : key -> t option
(** The caller's own cell; [None] if the caller still reads its maker's cell. *)

(** {1 By the holder of the fiber's handle} *)

val give : key -> Core.fiber -> int -> unit

val own : key -> Core.fiber -> under:Shared_queue.t -> default:int -> t
(** The fiber's own cell. If there is none, makes a cell with the inherited
    number, or with [default]. *)

(** {1 By any thread} *)

val of_fiber : call:string -> key -> Core.fiber -> t
(** The cell of a fiber that a scheduler has held. Raises [Invalid_argument] in
    the name of [call] if no scheduler has. *)
