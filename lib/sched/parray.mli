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

    {b Representation.} An immutable balanced tree whose leaves are arrays. The
    shape of the tree fixes the parallelism: each branching is a {!Gang.both},
    each leaf a sequential loop. {!tabulate} and {!of_array} make about 8 leaves
    for each vproc of the gang, or leaves of [grain] elements. Results have the
    shape of their argument.

    {b Functions} are called once for each element, on any vproc, and may wait,
    fork and raise like any code of a fiber. {b Exceptions}: the exception of
    the leftmost failing element is raised, with its backtrace; evaluation to
    the right of the element is cancelled, or never started, and has stopped by
    then. Elements are cancellation points.

    {b Cost}: the work of the sequential loop, and a future for each branching.
    All functions except {!length}, {!get} and {!to_array} need a gang around
    them if the array has several leaves ([Invalid_argument] as of
    {!Gang.val-future1}).

    Source: Manticore, section 4 (data-parallel arrays as trees that limit the
    parallelism; section 6 for exceptions). {!Dromos.Par} works on plain arrays,
    by work stealing. Checked: test/sched/parray. *)

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
    in an order given by the shape alone; [zero] is used once, on the left. *)

val scan : ('a -> 'a -> 'a) -> 'a -> 'a t -> 'a t
(** Element [i] is [reduce op zero] of the elements up to and with [i]. [op] is
    applied twice as often as by {!reduce}. *)

val filter : ('a -> bool) -> 'a t -> 'a t
(** Keeps the order. Joins small leaves and balances the tree again. *)
