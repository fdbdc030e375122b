(** Parallel arrays under the gang scheduler, with the exceptions of sequential
    evaluation.

    {[
      # module Sched = Dromos.Sched;;
      module Sched = Dromos.Sched
      # Dromos.run (fun () ->
            Sched.Gang.run (fun () ->
                let open Sched.Parray in
                let squares = tabulate 1_000 (fun i -> i * i) in
                let odd = filter (fun n -> n land 1 = 1) squares in
                (length odd, reduce ( + ) 0 odd)))
      - : int * int = (500, 166666500)
    ]}

    {b Representation.} An immutable balanced tree whose leaves are arrays. Its
    shape is all the parallelism there is: each branching is one {!Gang.both},
    each leaf a sequential loop. {!tabulate} and {!of_array} make about 8 leaves
    for each vproc of the gang, or leaves of [grain] elements. Results have the
    shape of their argument.

    {b Functions} are called once for each element, on any vproc, and may do
    what any fiber may. {b Exceptions}: that of the leftmost element that fails
    is raised, with its backtrace; what stands to its right is cancelled, or
    never started, and has stopped by then. Elements are cancellation points.

    {b Cost}: the work of the sequential loop, a future for each branching. All
    but {!length}, {!get} and {!to_array} need a gang around them if the array
    has more than one leaf ([Invalid_argument] as of {!Gang.val-future1}).

    Source: Manticore, section 4 (data-parallel arrays as trees that limit the
    parallelism; section 6 for exceptions). {!Dromos.Par} does the same on plain
    arrays by work stealing. Checked: test/sched/parray. *)

type 'a t

val tabulate : ?grain:int -> int -> (int -> 'a) -> 'a t
(** Raises [Invalid_argument] if the length is negative, or [grain < 1]. *)

val of_array : ?grain:int -> 'a array -> 'a t
val to_array : 'a t -> 'a array
val length : 'a t -> int

val get : 'a t -> int -> 'a
(** Logarithmic in the number of leaves. Raises [Invalid_argument] out of
    bounds. *)

val map : ('a -> 'b) -> 'a t -> 'b t

val reduce : ('a -> 'a -> 'a) -> 'a -> 'a t -> 'a
(** [reduce op zero a]: [op] is associative, and is applied to adjacent results
    in a way that depends on the shape alone; [zero] comes once, on the left. *)

val scan : ('a -> 'a -> 'a) -> 'a -> 'a t -> 'a t
(** Element [i] is [reduce op zero] of the elements up to and with [i]. [op] is
    applied twice as often as by {!reduce}. *)

val filter : ('a -> bool) -> 'a t -> 'a t
(** In order. Small leaves are joined and the tree balanced again. *)
