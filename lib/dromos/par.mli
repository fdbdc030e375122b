(** Parallel loops, on ranges, arrays, lists, float arrays and bigarrays.

    {[
      # Dromos.run (fun () ->
            Dromos.Par.map_reduce 1 101 ~map:(fun i -> i * i) ~combine:( + ) 0)
      - : int = 338350
      # Dromos.run (fun () ->
            let words = [| "deer"; "ant"; "cow"; "bee" |] in
            Dromos.Par.Array.sort String.compare words;
            Dromos.Par.Array.map String.length words)
      - : int array = [|3; 3; 3; 4|]
    ]}

    Every loop takes a half-open range [lo .. hi - 1], or a whole array. Inside
    a run it uses the run's workers, and may be called from any fiber, also from
    the body of another loop; outside, it is a plain loop. The body runs in
    fibers of its own wherever an idle worker took a piece: it may fork, await
    and yield, but must not use the caller's {!Ctx.t}. A loop returns when all
    of its iterations are over.

    {b Splitting} is lazy: the range is halved by forks that cost a few
    nanoseconds while nobody is idle, down to leaves. Inside a leaf, one load
    between iterations tells whether somebody waits for work, who then gets half
    of what is left. A leaf is one iteration at first, or 1/1024 of a worker's
    share of a long range. It grows by four as long as a leaf takes less than a
    microsecond, up to a quarter of a worker's share; each fiber that takes a
    piece begins anew. So there is no grain to choose: a slow iteration holds up
    no more than its leaf, for as long as it takes, and the overhead of
    splitting is a few microseconds for a whole loop, plus about half a
    nanosecond per iteration: the user's function is the only one called for an
    element in [Array]'s [iter], [map], [map_inplace], [fold], [map_reduce],
    [count], the searches for a predicate, and in ranges; other functions call
    one of their own around it.

    An iteration that waits (for a promise, a lock, a timer) holds up its leaf
    for as long as it waits, which matters where cheap iterations come first:
    [~grain:1] keeps leaves as they begin, and iterations wait together.

    [?grain] is there to tune: pieces of less than [2 * grain] consecutive
    iterations are not split (chunked forms, reductions and scans: pieces have
    exactly [grain], but for the last). It must be positive, or the call raises
    [Invalid_argument].

    {b User functions} are called exactly once for each element, on any worker
    and in any order, but where stated otherwise; each returns before the loop
    does. What they share must be safe to share.

    {b Results are deterministic}: combining functions are applied in index
    order, to adjacent results, so that associativity is enough; commutativity
    is not needed, and neither has the zero to be neutral: it is combined once,
    on the left. Floating-point addition is not associative: its sums depend on
    how the range was cut, and thus on the run. With [~grain], a reduction or
    scan is cut and combined in a way that depends on the range and the grain
    alone, so that also such results are the same in every run, with any number
    of workers, and outside a run.

    {b Exceptions are those of the sequential loop}: the leftmost one is raised,
    with its backtrace; iterations to its right are cancelled or never started,
    those to its left have all run. A cancelled fiber or scope leaves a loop
    with {!Cancelled} at the next iteration; with [~grain], at the next piece of
    [grain] iterations. (A combining function that raises is met in an order
    that depends on the run.)

    {b Chunked forms} ([.._chunks]) give the body whole pieces
    [fun lo hi -> ...] so that its inner loop is a plain monomorphic [for] loop,
    with unboxed floats and no call per element. Pieces have 1/1024 of a
    worker's share, but at least 1024 iterations; in short ranges fewer, so that
    there are at least 8 pieces per worker. A piece is not split. Outside a run
    there is one piece, the whole range.

    {b Dear iterations} keep none of the others waiting where the whole loop, or
    the piece that a worker took of it, has at most 64 iterations, and wherever
    the leaf before took 20 us or more. Elsewhere an iteration to the right of
    one that computes for long may be begun only after it.

    {b Complexity}: work is that of the sequential loop; span that of the
    longest iteration (chunk), plus the logarithm of the length for reductions
    and packing. Loops take O(log n) stack.

    Source: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, PPoPP 2010)
    over latent frames. Tested against [Stdlib] on random input, workers and
    hubs, with exceptions at random places ([test/par]). *)

(** {1 Ranges} *)

val for_ : ?grain:int -> int -> int -> (int -> unit) -> unit
(** [for_ lo hi body]. *)

val for_chunks : ?grain:int -> int -> int -> (int -> int -> unit) -> unit
(** [for_chunks lo hi body] calls [body l h] on adjacent non-empty pieces
    [l .. h - 1] that cover the range.

    {[
      # let squares = Array.make 10_000 0 in
        Dromos.run (fun () ->
            Dromos.Par.for_chunks 0 10_000 (fun l h ->
                for i = l to h - 1 do squares.(i) <- i * i done));
        squares.(9_999)
      - : int = 99980001
    ]} *)

val map_reduce :
  ?grain:int ->
  int ->
  int ->
  map:(int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  'a ->
  'a
(** [map_reduce lo hi ~map ~combine zero] is
    [combine (.. (combine zero (map lo)) ..) (map (hi - 1))] for any associative
    [combine]; [zero] if the range is empty. *)

val map_reduce_chunks :
  ?grain:int ->
  int ->
  int ->
  map:(int -> int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  'a ->
  'a
(** [map l h] is the result for a whole non-empty piece. *)

val scan_chunks :
  ?grain:int ->
  int ->
  int ->
  reduce:(int -> int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  write:('a -> int -> int -> 'a) ->
  'a ->
  'a
(** [scan_chunks lo hi ~reduce ~combine ~write zero], the loop under every scan
    and of much that is packed: [reduce l h] is the sum of a piece;
    [write left l h] is called once on every piece, with [zero] and all that
    stands to its left combined, writes what it has to (to places of its own)
    and returns [left] and the piece combined. The result is what the last
    piece's [write] returned; [zero] if the range is empty. [reduce] is called
    once on every piece but the last one; at most [32 * workers] pieces, and no
    more than there are elements in each.

    {[
      # let text = "a scan  of words" in
        let starts l h =
          let n = ref 0 in
          for i = l to h - 1 do
            if text.[i] <> ' ' && (i = 0 || text.[i - 1] = ' ') then incr n
          done;
          !n
        in
        let word = Array.make (String.length text) 0 in
        let number left l h =
          let n = ref left in
          for i = l to h - 1 do
            n := !n + starts i (i + 1);
            word.(i) <- !n
          done;
          !n
        in
        Dromos.run (fun () ->
            Dromos.Par.scan_chunks 0 (String.length text)
              ~reduce:starts ~combine:( + ) ~write:number 0)
      - : int = 4
    ]} *)

(** {2 Searches}

    They stop early. With a predicate that raises, the leftmost forms are as the
    sequential loop: what happens first from the left counts. *)

val find : ?grain:int -> int -> int -> (int -> bool) -> int option
(** The least index that satisfies the predicate. Indices to the right of one
    found are cancelled or skipped, all those to the left of the result have
    been tested. *)

val find_map : ?grain:int -> int -> int -> (int -> 'a option) -> 'a option
(** The first [Some] from the left. *)

val find_map_chunks :
  ?grain:int -> int -> int -> (int -> int -> 'a option) -> 'a option
(** The result of the leftmost piece with one. *)

val exists : ?grain:int -> int -> int -> (int -> bool) -> bool
(** Any index will do, so the first in time ends the loop, as soon as the
    iterations under way to its left return. If the predicate holds somewhere
    and raises elsewhere, the loop may do either. *)

val exists_chunks : ?grain:int -> int -> int -> (int -> int -> bool) -> bool
val for_all : ?grain:int -> int -> int -> (int -> bool) -> bool
val for_all_chunks : ?grain:int -> int -> int -> (int -> int -> bool) -> bool

(** {1 Arrays} *)

(** Parallel arrays: [Stdlib.Array]'s functions, in parallel, with the
    exceptions of the sequential ones. Arrays of floats are made flat, as there.
    Arrays that a loop reads must not be written meanwhile. *)
module Array : sig
  val init : ?grain:int -> int -> (int -> 'a) -> 'a array
  (** Of more than 4096 elements, the one at 0 is computed before the others (it
      tells whether the array is one of unboxed floats). *)

  val iter : ?grain:int -> ('a -> unit) -> 'a array -> unit
  val iteri : ?grain:int -> (int -> 'a -> unit) -> 'a array -> unit

  val iter2 : ?grain:int -> ('a -> 'b -> unit) -> 'a array -> 'b array -> unit
  (** Raises [Invalid_argument] if the lengths differ, as does {!map2}. *)

  val map : ?grain:int -> ('a -> 'b) -> 'a array -> 'b array
  (** {!map} to {!map2}: element 0 as in {!init}. *)

  val mapi : ?grain:int -> (int -> 'a -> 'b) -> 'a array -> 'b array
  val map2 : ?grain:int -> ('a -> 'b -> 'c) -> 'a array -> 'b array -> 'c array

  val map_inplace : ?grain:int -> ('a -> 'a) -> 'a array -> unit
  (** After an exception, some elements to the right of it may have been
      replaced too. *)

  val fold : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a
  (** [fold combine zero a] is [Stdlib.Array.fold_left combine zero a], for any
      associative [combine]. *)

  val map_reduce :
    ?grain:int ->
    map:('a -> 'b) ->
    combine:('b -> 'b -> 'b) ->
    'b ->
    'a array ->
    'b

  val count : ?grain:int -> ('a -> bool) -> 'a array -> int

  val scan : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array * 'a
  (** Exclusive prefix "sums" and the total: element [i] of the result is
      [zero + a.(0) + .. + a.(i - 1)]. [combine] is applied once or twice per
      element, see {!scan_chunks}.

      {[
        # Dromos.Par.Array.scan ( + ) 0 [| 3; 1; 4 |]
        - : int array * int = ([|0; 3; 4|], 8)
      ]} *)

  val scan_inclusive :
    ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array
  (** Element [i] is [zero + a.(0) + .. + a.(i)]. *)

  val filter : ?grain:int -> ('a -> bool) -> 'a array -> 'a array
  (** Order is kept; the predicate is called once per element. *)

  val filter_map : ?grain:int -> ('a -> 'b option) -> 'a array -> 'b array
  val partition : ?grain:int -> ('a -> bool) -> 'a array -> 'a array * 'a array
  val concat : ?grain:int -> 'a array list -> 'a array

  val sort : ?grain:int -> ('a -> 'a -> int) -> 'a array -> unit
  (** Stable merge sort with parallel merges; work O(n log n), span O(log{^ 3}
      n), room for as many elements again. [grain] (default 256) is the longest
      piece that one worker sorts alone. If the comparison raises, or the fiber
      is cancelled, the array is a permutation of what it was. *)

  val merge :
    ?grain:int -> ('a -> 'a -> int) -> 'a array -> 'a array -> 'a array
  (** Of two sorted arrays; the first one's elements come first among equals. *)

  val sort_by :
    ?grain:int -> ('k -> 'k -> int) -> ('a -> 'k) -> 'a array -> unit
  (** [sort_by compare key a]: stable, by keys. [key] is called once per
      element, which pays where it costs more than a comparison; room for three
      times as many elements again. As {!sort} if a function raises.

      {[
        # let words = [| "rose"; "a"; "is"; "an" |] in
          Dromos.run (fun () ->
              Dromos.Par.Array.sort_by Int.compare String.length words);
          words
        - : string array = [|"a"; "is"; "an"; "rose"|]
      ]} *)

  val unstable_sort : ?grain:int -> ('a -> 'a -> int) -> 'a array -> unit
  (** In place, with O(log n) room; equals in any order. O(n log n) comparisons
      whatever the array, 2 n at most for one that is sorted or the other way
      round. Partitions are sequential, so the span is O(n): above some eight
      workers {!sort} is faster, and where there is room it is on fewer too.
      [grain] (default 1024) as there. A comparison that is no order, such as
      [<] on [nan], gives some permutation; after an exception or a
      cancellation, which is noticed after each partition of a piece, the array
      is a permutation too. Source: introsort (Musser 1997), pivots after
      Bentley and McIlroy (1993). *)

  val select_nth : ('a -> 'a -> int) -> int -> 'a array -> 'a
  (** [select_nth compare n a] is the element that stands at [n] once [a] is
      sorted, and moves it there, in place: what is less or equal to its left,
      what is greater or equal to its right. Sequential, since most of the work
      is the first two passes over memory: O(n) comparisons as a rule, O(n log
      n) at worst. Raises [Invalid_argument] if there is no such place.
      Exceptions and comparisons that are no order: as {!unstable_sort}.

      {[
        # Dromos.Par.Array.select_nth Int.compare 2 [| 31; 4; 15; 92; 6 |]
        - : int = 15
      ]} *)

  (** {2 Groups}

      Keys are compared and hashed as by [Stdlib.Hashtbl]. The key function is
      called once per element, before anything else is done. Results are the
      same in every run: groups are in the order of their first elements. After
      the calls, pieces are grouped each by itself and joined by a pass over
      their distinct keys that is sequential: with about as many keys as
      elements nothing is gained by workers. Room for some four words per
      element. *)

  val group_by : ?grain:int -> ('a -> 'k) -> 'a array -> ('k * 'a array) array
  (** Elements keep their order within a group.

      {[
        # Dromos.run (fun () ->
              [| "fig"; "pear"; "kiwi"; "nut" |]
              |> Dromos.Par.Array.group_by String.length)
        - : (int * string array) array =
        [|(3, [|"fig"; "nut"|]); (4, [|"pear"; "kiwi"|])|]
      ]} *)

  val count_by : ?grain:int -> ('a -> 'k) -> 'a array -> ('k * int) array
  (** The lengths of the groups. *)

  val histogram :
    ?grain:int -> buckets:int -> ('a -> int) -> 'a array -> int array
  (** The number of elements in each bucket; the function gives a bucket from
      [0] to [buckets - 1], another number raises [Invalid_argument], as the
      function itself might. Two passes, with room for a word per element and
      for the counts of each piece, which has at least [buckets] elements. A
      loop over an array of counts, without a call for an element, is some five
      times faster on one worker: see {!Par.map_reduce_chunks} for cheap
      buckets.

      {[
        # Dromos.Par.Array.histogram ~buckets:3 (fun x -> x / 10) [| 3; 25; 7 |]
        - : int array = [|2; 0; 1|]
      ]} *)

  (** {2 Sub-arrays} *)

  val map_chunks : ?grain:int -> int -> ('a array -> 'b) -> 'a array -> 'b array
  (** [map_chunks n f a] is [f] of the first [n] elements, of the next [n], and
      so on; the last chunk may be shorter. Chunks are copies, made just before
      the call, so that [f] is a function of arrays like any other and may keep
      or change what it is given: some 0.5 ns per element. Without copies:
      {!Par.for_chunks} and {!Par.map_reduce_chunks}. [grain] counts chunks, and
      windows below. Raises [Invalid_argument] if [n < 1], as do the next two.

      {[
        # Dromos.Par.Array.map_chunks 2 (Array.fold_left ( + ) 0) [| 1; 2; 3; 4; 5 |]
        - : int array = [|3; 7; 5|]
      ]} *)

  val iter_chunks : ?grain:int -> int -> ('a array -> unit) -> 'a array -> unit

  val map_windows :
    ?grain:int -> int -> ('a array -> int -> 'b) -> 'a array -> 'b array
  (** [map_windows n f a] is [f a i] for every [i] from which on there are [n]
      elements. Windows overlap, so they are not copied: [f] reads
      [a.(i) .. a.(i + n - 1)].

      {[
        # Dromos.Par.Array.map_windows 2 (fun a i -> a.(i + 1) - a.(i)) [| 1; 4; 9; 16 |]
        - : int array = [|3; 5; 7|]
      ]} *)

  (** {2 Searches} *)

  val find_opt : ?grain:int -> ('a -> bool) -> 'a array -> 'a option
  (** The leftmost; see {!Par.find}. *)

  val find_index : ?grain:int -> ('a -> bool) -> 'a array -> int option
  val find_map : ?grain:int -> ('a -> 'b option) -> 'a array -> 'b option
  val exists : ?grain:int -> ('a -> bool) -> 'a array -> bool
  val for_all : ?grain:int -> ('a -> bool) -> 'a array -> bool

  val mem : ?grain:int -> 'a -> 'a array -> bool
  (** By polymorphic comparison, as [Stdlib.Array.mem]. *)

  val blit : ?grain:int -> 'a array -> int -> 'a array -> int -> int -> unit
  (** Raises [Invalid_argument] if there are not that many elements there, or if
      the two are the same array and their ranges overlap. *)
end

(** {1 Lists} *)

(** [Stdlib.List]'s functions. One walk over a list notes the starts of pieces,
    of 1/1024 of a worker's share, or of [~grain] elements. One worker takes the
    whole list as one piece unless there is a grain. A worker that takes a piece
    goes on into the next pieces until another worker has taken the next, and
    makes a part of the result in order. So one slow element keeps a piece
    waiting, where in an array it keeps one iteration. At the end the parts are
    linked, and all parts but the last are copied: half of the list with two
    workers. *)
module List : sig
  val iter : ?grain:int -> ('a -> unit) -> 'a list -> unit
  val map : ?grain:int -> ('a -> 'b) -> 'a list -> 'b list
  val filter : ?grain:int -> ('a -> bool) -> 'a list -> 'a list
  val filter_map : ?grain:int -> ('a -> 'b option) -> 'a list -> 'b list
  val concat_map : ?grain:int -> ('a -> 'b list) -> 'a list -> 'b list

  val map_reduce :
    ?grain:int ->
    map:('a -> 'b) ->
    combine:('b -> 'b -> 'b) ->
    'b ->
    'a list ->
    'b

  val sort : ?grain:int -> ('a -> 'a -> int) -> 'a list -> 'a list
  (** Stable; as {!Array.sort} otherwise, on a copy. *)

  val group_by : ?grain:int -> ('a -> 'k) -> 'a list -> ('k * 'a list) list
  (** As {!Array.group_by}. *)
end

(** {1 Unboxed numbers}

    A function passed to another takes and returns boxed floats, so the element
    forms below allocate as the sequential ones do. Where that matters, write
    the inner loop in a chunked form: {!for_chunks}, {!map_reduce_chunks},
    {!scan_chunks}. *)

(** [floatarray]s. *)
module Floatarray : sig
  val init : ?grain:int -> int -> (int -> float) -> floatarray
  val map : ?grain:int -> (float -> float) -> floatarray -> floatarray
  val mapi : ?grain:int -> (int -> float -> float) -> floatarray -> floatarray

  val map2 :
    ?grain:int ->
    (float -> float -> float) ->
    floatarray ->
    floatarray ->
    floatarray
  (** Raises [Invalid_argument] if the lengths differ. *)

  val iteri : ?grain:int -> (int -> float -> unit) -> floatarray -> unit

  val map_reduce :
    ?grain:int ->
    map:(float -> float) ->
    combine:(float -> float -> float) ->
    float ->
    floatarray ->
    float

  val sum : ?grain:int -> floatarray -> float
  (** Unboxed. Pieces are cut by [grain] alone (default 4096), so that the
      result is the same in every run. *)

  val scan :
    ?grain:int ->
    (float -> float -> float) ->
    float ->
    floatarray ->
    floatarray * float
  (** As {!Array.scan}. *)

  val scan_inclusive :
    ?grain:int -> (float -> float -> float) -> float -> floatarray -> floatarray

  val sort : ?grain:int -> (float -> float -> int) -> floatarray -> unit
  (** As {!Array.sort}, with room for twice as many elements again. If the
      comparison raises, the array is what it was. *)
end

(** One-dimensional bigarrays of any kind and layout; indices are those of the
    layout. Element forms go through the runtime's generic accesses, ten times
    slower than a loop where kind and layout are known: prefer chunked range
    loops for short bodies. *)
module Bigarray : sig
  open Stdlib.Bigarray

  val init :
    ?grain:int ->
    ('a, 'b) kind ->
    'c layout ->
    int ->
    (int -> 'a) ->
    ('a, 'b, 'c) Array1.t

  val fill : ?grain:int -> ('a, 'b, 'c) Array1.t -> 'a -> unit

  val blit :
    ?grain:int -> ('a, 'b, 'c) Array1.t -> ('a, 'b, 'c) Array1.t -> unit
  (** From the first to the second. Raises [Invalid_argument] if the lengths
      differ. The two may be the same, but not overlap otherwise. *)

  val map :
    ?grain:int ->
    ('a, 'd) kind ->
    ('e -> 'a) ->
    ('e, 'f, 'c) Array1.t ->
    ('a, 'd, 'c) Array1.t

  val iteri : ?grain:int -> (int -> 'a -> unit) -> ('a, 'b, 'c) Array1.t -> unit

  val map_reduce :
    ?grain:int ->
    map:('a -> 'r) ->
    combine:('r -> 'r -> 'r) ->
    'r ->
    ('a, 'b, 'c) Array1.t ->
    'r
end

module Seq = Par_seq
(** Lazy sequences that need not fit in memory. *)
