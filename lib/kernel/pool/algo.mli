(** Parallel loops over ranges [beg .. end_ - 1], for kernel tasks: the
    functions given here must not raise nor perform effects. Proved, and not
    part of what programs run: [Dromos.Par] has loops of its own, over latent
    fork frames.

    A range is split only where somebody may take the other half: a worker
    processes it chunk by chunk, and before each chunk, if nothing that it has
    published is left, it publishes the upper half of what remains. So an
    undisturbed worker splits once, thieves get large pieces, and [chunk] is a
    bound on bookkeeping rather than a grain to be tuned. [~chunk:None] means a
    32nd of a worker's share.

    All return when everything is done; waiting is help-first
    ([Pool.wait_ivar]). An empty range is one with [end_ <= beg]; a chunk below
    1 counts as 1.

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
(** The function is given subranges, [lo] included, [hi] excluded, that together
    are the range. *)

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
(** [body] gives the value of a non-empty subrange; [merge], which must be
    associative, puts those of neighbours together, in order: it need not be
    commutative. The last argument is the value of the empty range, and is used
    for nothing else. *)

val find :
  Pool.context ->
  beg:int ->
  end_:int ->
  chunk:int option ->
  (Pool.context -> int -> bool) ->
  int option
(** The least index for which the function holds. It is called at most once for
    each index, for every index below the result, and for few above. *)
