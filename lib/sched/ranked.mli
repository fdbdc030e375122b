(** The scheduler under {!Priority} and {!Deadline}: each fiber has a number
    ({!Level}), which other fibers may change, and the number gives the fiber
    its rank in a {!Shared_queue}. The smallest rank runs first. Internal.

    {b No change is lost} between the queue and the number. A thread that
    changes the number writes the fiber's cell first and then tells the queue
    ({!settle}). A thread that adds the fiber to the queue ({!give}) reads the
    cell once more afterwards. The cell and the queue's state are atomic words,
    so at least one of the two threads sees the write of the other. *)

type t

val create :
  name:string ->
  key:Level.key ->
  default:int ->
  ?read:(Core.fiber -> int -> int) ->
  ?arrives:(Core.fiber -> unit) ->
  rank:(arrival:int -> int -> int) ->
  Shared_queue.t ->
  t
(** A scheduler named [name] on a new queue. A fiber without a number has the
    number [default]. [read k own] is the number that counts for the fiber [k],
    if the number in its cell is [own] (default: [own]; an inherited priority
    may count instead). [rank ~arrival number] is the rank of a fiber for which
    [number] counts; [arrival] is the number of fibers that came before the
    fiber. [arrives k] is called before [k] is added (default: nothing). *)

val run :
  t ->
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (unit -> 'a) ->
  'a
(** Runs the function with the scheduler: {!Shared_queue.attach}. *)

val give : t -> call:string -> ?number:int -> Core.fiber -> unit
(** Adds a fiber, with a new number if [number] is given. Raises
    [Invalid_argument] in the name of [call] for a fiber of another run. *)

val spawn :
  t -> call:string -> ?name:string -> ?number:int -> (unit -> unit) -> unit
(** {!give} of a new fiber. *)

val settle : t -> Core.fiber -> Level.t -> unit
(** Gives the fiber, which has the given cell, its new rank in the queue
    ({!Shared_queue.set_rank}). Call [settle] after a change of the number that
    [read] returns. From any thread. *)
