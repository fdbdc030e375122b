(** Lazy sequences that need not fit in memory, a task for each element, results
    in order: the lines of a large file, what a generator makes without end.

    {[
      # let squares_until_limit limit =
          Dromos.Par.Seq.map ~ahead:8
            (fun n -> n * n)
            (Seq.ints 1)
            (fun squares ->
              List.of_seq (Seq.take_while (fun n -> n < limit) squares))
        in
        Dromos.run (fun () -> squares_until_limit 30)
      - : int list = [1; 4; 9; 16; 25]
    ]}

    {b What runs.} A fiber of the call, the producer, forces the sequence, an
    element at a time and at most [ahead] elements before the consumer; each
    element has a task, made by the producer in order. The consumer is the
    caller: it is given the results as a sequence, and waits for the oldest one
    when it asks for it. [ahead] counts elements from their forcing until the
    consumer asks for the one after: those that are computed, those that wait
    for their turn, and the one that the consumer has. So memory is bounded by
    [ahead] elements and results; with [ahead] of 1 nothing overlaps. It is 4
    times the number of workers if not given, and more of it helps where
    elements take unequal times.

    {b The results} are a sequence to be used once (as by [Seq.once], which
    raises [Seq.Forced_twice]), within the call, by one fiber: forced afterwards
    it raises [Invalid_argument].

    {b The end.} A call returns when the consumer has and all that the call
    started is over. A consumer that returns, or raises, before the end of the
    sequence stops the producer, at its next cancellation point, and cancels the
    elements under way. Tasks that the functions make by [async] belong to the
    call.

    {b Exceptions}: the first failure in the order of the sequence, be it of the
    function or of the sequence itself, is raised where the consumer asks for
    that element, with its backtrace: it has had all results before. No element
    is forced after a failure has happened.

    {b Cost}: about that of an [async], and of a wait where a result is not
    there yet, for each element: one or two microseconds. For shorter work let
    each element be a chunk of the input. Effects of the program's own in the
    function are never handled by handlers around the call, as in all tasks.
    Outside a run all is done by the caller, an element at a time. Raises
    [Invalid_argument] if [ahead] is not positive.

    {b Checked}: test/par/sequences, on each hub with 1, 2 and 4 workers. *)

val map : ?ahead:int -> ('a -> 'b) -> 'a Seq.t -> ('b Seq.t -> 'c) -> 'c
(** [map f seq consume] is [consume (Seq.map f seq)]. *)

val filter_map :
  ?ahead:int -> ('a -> 'b option) -> 'a Seq.t -> ('b Seq.t -> 'c) -> 'c
(** [consume (Seq.filter_map f seq)]. *)

val iter : ?ahead:int -> ('a -> unit) -> 'a Seq.t -> unit
(** The function on each element; in no order. *)

val fold :
  ?ahead:int ->
  map:('a -> 'b) ->
  combine:('acc -> 'b -> 'acc) ->
  'acc ->
  'a Seq.t ->
  'acc
(** [fold ~map ~combine zero seq] is
    [Seq.fold_left combine zero (Seq.map map seq)]. [combine] is called by the
    caller, in order: it needs no property. *)
