(** Lazy sequences that need not fit in memory, with a task for each element,
    and results in order: for the lines of a large file, or for a generator
    without end.

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

    {b Fibers.} A fiber of the call, the producer, forces the sequence, an
    element at a time and at most [ahead] elements before the consumer. The
    producer makes a task for each element, in order. The caller is the
    consumer: the consumer gets the results as a sequence, and waits for the
    oldest result when it forces the sequence. [ahead] counts the elements that
    are computed, that wait for their turn, and that the consumer has; the
    consumer gives an element back when it asks for the next. So memory is
    bounded by [ahead] elements and results; with [ahead] of 1 nothing overlaps.
    The default is 4 times the number of workers; a larger [ahead] helps where
    elements take unequal times.

    {b The results} are a sequence that one fiber may use once (as by
    [Seq.once], which raises [Seq.Forced_twice]), within the call: later the
    sequence raises [Invalid_argument].

    {b The end.} A call returns when the consumer has returned and all fibers of
    the call have ended. A consumer that returns, or raises, before the end of
    the sequence stops the producer, at its next cancellation point, and cancels
    the running tasks. Tasks that the functions make by [async] belong to the
    call.

    {b Exceptions}: the first failure in the order of the sequence, of the
    function or of the sequence itself, is raised where the consumer asks for
    this element, with its backtrace. The consumer has had all results before
    the failure. No element is forced after a failure has happened.

    {b Cost}: about an [async] for each element, and a wait if the result is not
    there yet: one or two microseconds. For shorter work let each element be a
    chunk of the input. Handlers around the call never handle effects of the
    function, as in all tasks. Outside a run the caller does all the work, an
    element at a time. Raises [Invalid_argument] if [ahead] is not positive.

    {b Checked}: test/par/sequences, on each hub with 1, 2 and 4 workers. *)

val map : ?ahead:int -> ('a -> 'b) -> 'a Seq.t -> ('b Seq.t -> 'c) -> 'c
(** [map f seq consume] is [consume (Seq.map f seq)]. *)

val filter_map :
  ?ahead:int -> ('a -> 'b option) -> 'a Seq.t -> ('b Seq.t -> 'c) -> 'c
(** [consume (Seq.filter_map f seq)]. *)

val iter : ?ahead:int -> ('a -> unit) -> 'a Seq.t -> unit
(** [iter f seq] calls [f] on each element, in no order. *)

val fold :
  ?ahead:int ->
  map:('a -> 'b) ->
  combine:('acc -> 'b -> 'acc) ->
  init:'acc ->
  'a Seq.t ->
  'acc
(** [fold ~map ~combine ~init seq] is
    [Seq.fold_left combine init (Seq.map map seq)]. The caller calls [combine],
    in order: [combine] need not be associative. *)
