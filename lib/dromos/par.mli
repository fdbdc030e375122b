(** Parallel loops, on ranges, arrays, lists, float arrays and bigarrays.

    {[
      # Dromos.run (fun () ->
            Dromos.Par.map_reduce 1 101 ~map:(fun i -> i * i) ~combine:( + ) ~init:0)
      - : int = 338350
      # Dromos.run (fun () ->
            let words = [| "deer"; "ant"; "cow"; "bee" |] in
            Dromos.Par.Array.sort String.compare words;
            Dromos.Par.Array.map String.length words)
      - : int array = [|3; 3; 3; 4|]
    ]}

    Every loop takes a half-open range [lo .. hi - 1], or a whole array. Inside
    a run a loop uses the run's workers; any fiber may call a loop, also in the
    body of another loop. Outside a run a loop is a plain loop. Where an idle
    worker took a piece, the body runs in another fiber: the body may fork,
    await and yield, but must not use the caller's {!Ctx.t}. A loop returns when
    all of its iterations are over.

    {b Splitting} is lazy: forks halve the range down to {e leaves}, and a fork
    costs a few nanoseconds while no worker is idle. Inside a leaf, one load
    between iterations tells whether a worker waits for work; the waiting worker
    then gets half of the rest. A leaf is one iteration at first, or 1/1024 of a
    worker's share of a long range. The length of leaves grows by four as long
    as a leaf takes less than a microsecond, up to a quarter of a worker's
    share; each fiber that takes a piece begins again. So you need not choose a
    grain: a slow iteration holds up only its own leaf.

    Splitting costs a few microseconds for a whole loop, and about half a
    nanosecond for each iteration. The user's function is the only function
    called for an element in ranges and in [Array]'s [iter], [map],
    [map_inplace], [fold], [map_reduce], [count] and searches for a predicate;
    other functions call a function of their own around it.

    An iteration that waits (for a promise, a lock, a timer) holds up its leaf
    until the wait is over. This matters where cheap iterations come first: with
    [~grain:1] leaves do not grow, and iterations wait at the same time.

    [?grain] is for tuning: a piece of less than [2 * grain] consecutive
    iterations is not split (in chunked forms, reductions and scans each piece
    has exactly [grain] iterations, except the last). A grain that is not
    positive raises [Invalid_argument].

    {b User functions} are called exactly once for each element, on any worker
    and in any order, unless stated otherwise; all calls return before the loop
    does. Data that the calls share must be safe to share.

    {b Results are deterministic}: combining functions are applied in index
    order, to adjacent results, so that associativity is enough. Commutativity
    is not needed, and [init] need not be neutral: [init] is combined once, on
    the left. Floating-point addition is not associative: sums depend on the
    cuts of the range, and so on the run. With [~grain] the cuts and the order
    of a reduction or scan depend on the range and the grain alone: then also
    such sums are the same in every run, with any number of workers, and outside
    a run.

    {b Exceptions are those of the sequential loop}: the leftmost exception is
    raised, with its backtrace. Iterations to its right are cancelled or never
    started; iterations to its left have all run. A cancelled fiber or scope
    leaves a loop with {!Cancelled} at the next iteration; with [~grain], at the
    next piece of [grain] iterations. (If several calls of a combining function
    raise, the exception depends on the run.)

    {b Chunked forms} ([.._chunks]) give the body whole pieces
    [fun lo hi -> ...]: the inner loop is a plain monomorphic [for] loop, with
    unboxed floats and no call for each element. A piece has 1/1024 of a
    worker's share, but at least 1024 iterations; in short ranges fewer, so that
    each worker has at least 8 pieces. A piece is not split. Outside a run the
    whole range is one piece.

    {b Dear iterations}: an iteration to the right of an iteration that computes
    for long may have to wait until the latter ends. No iteration waits so in a
    loop, or in a taken piece of a loop, of at most 64 iterations, and wherever
    the leaf before took 20 us or more.

    {b Complexity}: the work is the work of the sequential loop; the span is the
    longest iteration (chunk), plus the logarithm of the length for reductions
    and packing. Loops take O(log n) stack.

    Source: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, PPoPP 2010)
    over latent frames. Tested against [Stdlib] on random input, workers and
    hubs, with exceptions at random places ([test/par]). *)

(** {1 Ranges} *)

val for_ : ?grain:int -> int -> int -> (int -> unit) -> unit
(** [for_ lo hi body] calls [body i] for each [i] in [lo .. hi - 1]. *)

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
  init:'a ->
  'a
(** [map_reduce lo hi ~map ~combine ~init] is
    [combine (.. (combine init (map lo)) ..) (map (hi - 1))] for any associative
    [combine]; the result is [init] if the range is empty. *)

val map_reduce_chunks :
  ?grain:int ->
  int ->
  int ->
  map:(int -> int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  init:'a ->
  'a
(** As {!map_reduce}; [map l h] is the result for a whole non-empty piece. *)

val scan_chunks :
  ?grain:int ->
  int ->
  int ->
  reduce:(int -> int -> 'a) ->
  combine:('a -> 'a -> 'a) ->
  write:('a -> int -> int -> 'a) ->
  init:'a ->
  'a
(** [scan_chunks lo hi ~reduce ~combine ~write ~init], the loop under every
    scan. [reduce l h] is the sum of a piece; [reduce] is called at most once on
    each piece, never on the last. [write left l h] is called once on every
    piece: [left] is the combination of [init] and all elements to the left of
    the piece. [write] writes its results (to places of its own), and returns
    the combination of [left] and the piece. The result of [scan_chunks] is the
    result of the last piece's [write]; [init] if the range is empty. There are
    at most [32 * workers] pieces, and no more pieces than elements in a piece.

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
              ~reduce:starts ~combine:( + ) ~write:number ~init:0)
      - : int = 4
    ]} *)

(** {2 Searches}

    Searches stop early. If a predicate raises, searches for the leftmost match
    do as the sequential loop does: the first match or exception from the left
    counts. *)

val find_opt : ?grain:int -> int -> int -> (int -> bool) -> int option
(** The least index that satisfies the predicate. Iterations to the right of a
    match are cancelled or skipped; all indices to the left of the result have
    been tested. *)

val find_map : ?grain:int -> int -> int -> (int -> 'a option) -> 'a option
(** The first [Some] from the left. *)

val find_map_chunks :
  ?grain:int -> int -> int -> (int -> int -> 'a option) -> 'a option
(** The result of the leftmost piece that has a result. *)

val exists : ?grain:int -> int -> int -> (int -> bool) -> bool
(** Any index will do: the first match in time ends the loop, as soon as running
    iterations to the left of the match return. If the predicate holds somewhere
    and raises elsewhere, the loop may do either. *)

val exists_chunks : ?grain:int -> int -> int -> (int -> int -> bool) -> bool
val for_all : ?grain:int -> int -> int -> (int -> bool) -> bool
val for_all_chunks : ?grain:int -> int -> int -> (int -> int -> bool) -> bool

(** {1 Arrays} *)

(** Parallel arrays: [Stdlib.Array]'s functions, in parallel, with the
    exceptions of the sequential functions. Arrays of floats are flat, as in
    [Stdlib]. Arrays that a loop reads must not be written meanwhile. *)
module Array : sig
  val init : ?grain:int -> int -> (int -> 'a) -> 'a array
  (** In an array of more than 4096 elements, element 0 is computed before the
      other elements (element 0 decides whether the array has unboxed floats).
  *)

  val iter : ?grain:int -> ('a -> unit) -> 'a array -> unit
  val iteri : ?grain:int -> (int -> 'a -> unit) -> 'a array -> unit

  val iter2 : ?grain:int -> ('a -> 'b -> unit) -> 'a array -> 'b array -> unit
  (** Raises [Invalid_argument] if the lengths differ, as does {!map2}. *)

  val map : ?grain:int -> ('a -> 'b) -> 'a array -> 'b array
  (** {!map} to {!map2}: element 0 as in {!init}. *)

  val mapi : ?grain:int -> (int -> 'a -> 'b) -> 'a array -> 'b array
  val map2 : ?grain:int -> ('a -> 'b -> 'c) -> 'a array -> 'b array -> 'c array

  val map_inplace : ?grain:int -> ('a -> 'a) -> 'a array -> unit
  (** After an exception, some elements to the right of the exception may have
      been replaced too. *)

  val fold : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a
  (** [fold combine zero a] is [Stdlib.Array.fold_left combine zero a], for any
      associative [combine]. *)

  val map_reduce :
    ?grain:int ->
    map:('a -> 'b) ->
    combine:('b -> 'b -> 'b) ->
    init:'b ->
    'a array ->
    'b

  val count : ?grain:int -> ('a -> bool) -> 'a array -> int

  val scan : ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array * 'a
  (** Exclusive prefix "sums" and the total: element [i] of the result is
      [zero + a.(0) + .. + a.(i - 1)]. [combine] is applied once or twice for
      each element, see {!scan_chunks}.

      {[
        # Dromos.Par.Array.scan ( + ) 0 [| 3; 1; 4 |]
        - : int array * int = ([|0; 3; 4|], 8)
      ]} *)

  val scan_inclusive :
    ?grain:int -> ('a -> 'a -> 'a) -> 'a -> 'a array -> 'a array
  (** Element [i] is [zero + a.(0) + .. + a.(i)]. *)

  val filter : ?grain:int -> ('a -> bool) -> 'a array -> 'a array
  (** Keeps the order; calls the predicate once for each element. *)

  val filter_map : ?grain:int -> ('a -> 'b option) -> 'a array -> 'b array
  val partition : ?grain:int -> ('a -> bool) -> 'a array -> 'a array * 'a array
  val concat : ?grain:int -> 'a array list -> 'a array

  val sort : ?grain:int -> ('a -> 'a -> int) -> 'a array -> unit
  (** Stable merge sort with parallel merges; work O(n log n), span O(log{^ 3}
      n), room for as many elements again. [grain] (default 256) is the longest
      piece that one worker sorts alone. If the comparison raises, or the fiber
      is cancelled, the array is a permutation of its former contents. *)

  val merge :
    ?grain:int -> ('a -> 'a -> int) -> 'a array -> 'a array -> 'a array
  (** Merges two sorted arrays; of equal elements, those of the first array come
      first. *)

  val sort_by :
    ?grain:int -> ('k -> 'k -> int) -> ('a -> 'k) -> 'a array -> unit
  (** [sort_by compare key a]: a stable sort by keys. [key] is called once for
      each element: better than {!sort} where [key] costs more than a
      comparison. Room for three times as many elements again. As {!sort} if a
      function raises.

      {[
        # let words = [| "rose"; "a"; "is"; "an" |] in
          Dromos.run (fun () ->
              Dromos.Par.Array.sort_by Int.compare String.length words);
          words
        - : string array = [|"a"; "is"; "an"; "rose"|]
      ]} *)

  val unstable_sort : ?grain:int -> ('a -> 'a -> int) -> 'a array -> unit
  (** Sorts in place, with O(log n) room; equal elements end in any order. O(n
      log n) comparisons for any array, at most 2 n for an array that is sorted
      already or in reverse. Partitions are sequential, so the span is O(n):
      above some eight workers {!sort} is faster, and with enough memory {!sort}
      is faster on fewer workers too. [grain] (default 1024) as in {!sort}. A
      comparison that is no order, such as [<] on [nan], gives some permutation.
      The array is a permutation also after an exception or a cancellation,
      which is noticed after each partition of a piece. Source: introsort
      (Musser 1997), pivots after Bentley and McIlroy (1993). *)

  val select_nth : ('a -> 'a -> int) -> int -> 'a array -> 'a
  (** [select_nth compare n a] is the element that stands at [n] once [a] is
      sorted. [select_nth] moves the element to [n], in place, with less or
      equal elements to its left and greater or equal elements to its right.
      Sequential, since most of the work is the first two passes over memory:
      O(n) comparisons as a rule, O(n log n) at worst. Raises [Invalid_argument]
      if [n] is no index of [a]. Exceptions and comparisons that are no order:
      as {!unstable_sort}.

      {[
        # Dromos.Par.Array.select_nth Int.compare 2 [| 31; 4; 15; 92; 6 |]
        - : int = 15
      ]} *)

  (** {2 Groups}

      Keys are compared and hashed as by [Stdlib.Hashtbl]. First the key
      function is called, once for each element. Then workers group pieces of
      the array, and a sequential pass over the distinct keys of all pieces
      joins the groups: with about as many keys as elements, more workers gain
      nothing. Groups are in the order of their first elements, in every run.
      Room for some four words for each element. *)

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
  (** The number of elements in each bucket. The function gives a bucket from
      [0] to [buckets - 1]; another number raises [Invalid_argument], as if the
      function had raised. Two passes, with room for a word for each element and
      for the counts of each piece, which has at least [buckets] elements. If
      buckets are cheap to compute, use {!Par.map_reduce_chunks}: a loop over an
      array of counts, without a call for each element, is some five times
      faster on one worker.

      {[
        # Dromos.Par.Array.histogram ~buckets:3 (fun x -> x / 10) [| 3; 25; 7 |]
        - : int array = [|2; 0; 1|]
      ]} *)

  (** {2 Sub-arrays} *)

  val map_chunks : ?grain:int -> int -> ('a array -> 'b) -> 'a array -> 'b array
  (** [map_chunks n f a] is [f] of the first [n] elements, of the next [n], and
      so on; the last chunk may be shorter. Chunks are copies, made just before
      the call, so [f] may keep or change its chunk; a copy takes some 0.5 ns
      for each element. {!Par.for_chunks} and {!Par.map_reduce_chunks} make no
      copies. [grain] counts chunks (windows, in {!map_windows}). Raises
      [Invalid_argument] if [n < 1], as do {!iter_chunks} and {!map_windows}.

      {[
        # Dromos.Par.Array.map_chunks 2 (Array.fold_left ( + ) 0) [| 1; 2; 3; 4; 5 |]
        - : int array = [|3; 7; 5|]
      ]} *)

  val iter_chunks : ?grain:int -> int -> ('a array -> unit) -> 'a array -> unit

  val map_windows :
    ?grain:int -> int -> ('a array -> int -> 'b) -> 'a array -> 'b array
  (** [map_windows n f a] is [f a i] for every index [i] with at least [n]
      elements from [i] on. Windows overlap, and are not copied: [f] reads
      [a.(i) .. a.(i + n - 1)].

      {[
        # Dromos.Par.Array.map_windows 2 (fun a i -> a.(i + 1) - a.(i)) [| 1; 4; 9; 16 |]
        - : int array = [|3; 5; 7|]
      ]} *)

  (** {2 Searches} *)

  val find_opt : ?grain:int -> ('a -> bool) -> 'a array -> 'a option
  (** The leftmost element that satisfies the predicate; see {!Par.find_opt}. *)

  val find_index : ?grain:int -> ('a -> bool) -> 'a array -> int option
  val find_map : ?grain:int -> ('a -> 'b option) -> 'a array -> 'b option
  val exists : ?grain:int -> ('a -> bool) -> 'a array -> bool
  val for_all : ?grain:int -> ('a -> bool) -> 'a array -> bool

  val mem : ?grain:int -> 'a -> 'a array -> bool
  (** Compares as [Stdlib.Array.mem] does, by polymorphic comparison. *)

  val blit : ?grain:int -> 'a array -> int -> 'a array -> int -> int -> unit
  (** Raises [Invalid_argument] if a range exceeds its array, or if both arrays
      are the same and the ranges overlap. *)
end

(** {1 Lists} *)

(** [Stdlib.List]'s functions. One walk over a list notes the starts of pieces,
    of 1/1024 of a worker's share, or of [~grain] elements. One worker takes the
    whole list as one piece unless there is a grain. A worker that takes a piece
    goes on into the next pieces until another worker has taken the next, and
    makes a part of the result in order. While 32 pieces take less than four
    microseconds, the worker takes 32 pieces at a time. So one slow element
    holds up a piece, or 32 pieces after cheap ones, where in an array it holds
    up one iteration, or a leaf. At the end the parts are linked, and all parts
    but the last are copied: half of the list with two workers. On several
    workers a list costs 4 to 10 us more than with [Stdlib.List]. *)
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
    init:'b ->
    'a list ->
    'b

  val sort : ?grain:int -> ('a -> 'a -> int) -> 'a list -> 'a list
  (** A stable sort, as {!Array.sort}, on a copy. *)

  val group_by : ?grain:int -> ('a -> 'k) -> 'a list -> ('k * 'a list) list
  (** Groups as {!Array.group_by} does. *)
end

(** {1 Unboxed numbers}

    A function that is passed to another function takes and returns boxed
    floats, so the functions below that call a function for each element
    allocate, as the sequential functions do. Where allocation matters, write
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
    init:float ->
    floatarray ->
    float

  val sum : ?grain:int -> floatarray -> float
  (** An unboxed sum. [grain] alone (default 4096) decides the pieces, so the
      result is the same in every run. *)

  val scan :
    ?grain:int ->
    (float -> float -> float) ->
    float ->
    floatarray ->
    floatarray * float
  (** Scans as {!Array.scan} does. *)

  val scan_inclusive :
    ?grain:int -> (float -> float -> float) -> float -> floatarray -> floatarray

  val sort : ?grain:int -> (float -> float -> int) -> floatarray -> unit
  (** Sorts as {!Array.sort} does, with room for twice as many elements again.
      If the comparison raises, the array is unchanged. *)
end

(** One-dimensional bigarrays of any kind and layout; indices follow the layout.
    Functions called for each element use the runtime's generic accesses, ten
    times slower than a loop over a known kind and layout: prefer chunked range
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
  (** Copies the first to the second. Raises [Invalid_argument] if the lengths
      differ. The two may be the same, but must not overlap otherwise. *)

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
    init:'r ->
    ('a, 'b, 'c) Array1.t ->
    'r
end

module Seq = Par_seq
(** Lazy sequences that need not fit in memory. *)
