(** Parallel loops over ranges [beg .. end_ - 1], for kernel tasks: the
    functions given here must not raise or perform effects. Proved, and not part
    of what programs run: [Dromos.Par] has loops of its own, over latent fork
    frames.

    A loop splits a range only where another worker may take the second half. A
    worker processes a range chunk by chunk. Before each chunk, if no published
    task waits that another worker could take ([Pool.has_work]), the worker
    publishes the upper half of the remaining range. An undisturbed worker
    splits once, and thieves get large pieces. [chunk] bounds the bookkeeping;
    users need not tune it like a grain. [~chunk:None] means a 32nd of a
    worker's share.

    All functions return when all calls of their arguments have returned. A
    worker waits help-first ([Pool.wait_ivar]). A range is empty if
    [end_ <= beg]. A chunk below 1 counts as 1.

    Source: Parabs, section 11; the splitting: Tzannes, Caragea, Barua, Vishkin,
    {e Lazy binary splitting}, PPoPP 2010. Tested in test/kernel: each index
    exactly once.

    {b Checked.}
    - proved (proofs/pool/algo.v): [for_], [for_each];
    - proved (proofs/pool/algo_fold.v): [fold];
    - proved (proofs/pool/algo_find.v): [find];
    - tested (test/kernel): all. *)

val for_ :
  Pool.context ->
  beg:int ->
  end_:int ->
  chunk:int option ->
  (Pool.context -> int -> int -> unit) ->
  unit
(** Calls the function on subranges, [lo] included, [hi] excluded. The subranges
    together are the range. *)

val for_each :
  Pool.context ->
  beg:int ->
  end_:int ->
  chunk:int option ->
  (Pool.context -> int -> unit) ->
  unit

val fold :
  Pool.context ->
  beg:int ->
  end_:int ->
  chunk:int option ->
  body:(Pool.context -> int -> int -> 'a) ->
  merge:('a -> 'a -> 'a) ->
  'a ->
  'a
(** [body] computes the value of a non-empty subrange. [merge] combines the
    values of neighbours, in order; [merge] must be associative and need not be
    commutative. The last argument is the value of the empty range, and has no
    other use. *)

val find :
  Pool.context ->
  beg:int ->
  end_:int ->
  chunk:int option ->
  (Pool.context -> int -> bool) ->
  int option
(** The least index for which the function holds. [find] calls the function at
    most once for each index: for every index up to the result, and for few
    indices above. *)
