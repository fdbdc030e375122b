(** [Domainslib.Task] over [Dromos]. [Domainslib]'s interface lists the
    differences from Domainslib. *)

type 'a task = unit -> 'a
type !'a promise
type pool

(** {1 Pools}

    Every function except {!setup_pool} and {!lookup_pool} raises
    [Invalid_argument "pool already torn down"] after the pool was torn down. *)

val setup_pool : ?name:string -> num_domains:int -> unit -> pool
(** A pool of [num_domains] domains. Each caller of {!run} adds its own domain:
    [num_domains + 1] workers. Domains are started when there is work.
    {!lookup_pool} finds the pool by [name].

    With [~num_domains:0], all tasks run on the domains that call {!run}. Tasks
    made outside any [run] wait for the next [run].

    Raises [Invalid_argument] if [num_domains] is less than 0, and
    [Failure "failed to allocate domain"] if [num_domains] is more than 127, the
    number of domains that OCaml allows besides the caller's. *)

val teardown_pool : pool -> unit
(** Ends the pool, and frees its name. Waits for tasks made outside any {!run};
    with [~num_domains:0], tasks that wait for a [run] never begin. Call
    [teardown_pool] when no [run] of the pool is active. *)

val lookup_pool : string -> pool option
(** The last pool set up with the given name, if not torn down. *)

val get_num_domains : pool -> int
(** [num_domains + 1]. *)

(** {1 Tasks} *)

val run : pool -> 'a task -> 'a
(** Calls the function on the calling domain, with the pool's domains at its
    side. When the function and all tasks made in it are over, [run] returns the
    result of the function, or raises its exception.

    Callers are any domain and thread, several at a time. Inside a [run] of the
    same pool, [run pool f] is [f ()]. Inside a [run] of another pool, or inside
    [Dromos.run], the function runs on domains of the pool, and the calling task
    is suspended until the function has returned. In code inside Lwt's, Eio's or
    Async's loop, the function runs there too, and the calling thread is
    blocked. *)

val async : pool -> 'a task -> 'a promise
(** A task on the pool. If the caller's {!run} is of the same pool, the task
    belongs to the {!run}; otherwise the task begins at once on the pool's
    domains ([~num_domains:0]: in the next {!run}). *)

val await : pool -> 'a promise -> 'a
(** The task's result, or its exception with its backtrace. The promise may be
    of any pool. Raises [Effect.Unhandled] outside any {!run}, unless the task
    is over. *)

(** {1 Loops}

    Loops run over all indices from [start] to [finish], both included.
    [chunk_size] is the number of iterations in a piece; the iterations of a
    piece run one after the other. Without [chunk_size], or with 0 or less, the
    pieces are those of [Dromos.Par.for_chunks]: at least 8 for each worker, and
    a single piece on a pool of [~num_domains:0].

    Outside any {!run}, a loop of more than one piece raises [Effect.Unhandled];
    on a pool of [~num_domains:0], such a loop is a plain loop. *)

val parallel_for :
  ?chunk_size:int ->
  start:int ->
  finish:int ->
  body:(int -> unit) ->
  pool ->
  unit

val parallel_for_reduce :
  ?chunk_size:int ->
  start:int ->
  finish:int ->
  body:(int -> 'a) ->
  pool ->
  ('a -> 'a -> 'a) ->
  'a ->
  'a
(** [parallel_for_reduce ~start ~finish ~body pool combine init] combines in the
    order of the indices, with [init] first and once: [combine] has to be
    associative, and need not be commutative. *)

val parallel_scan : pool -> ('a -> 'a -> 'a) -> 'a array -> 'a array
(** [[| a0; op a0 a1; op (op a0 a1) a2; ... |]] for an associative [op]. *)

val parallel_find :
  ?chunk_size:int ->
  start:int ->
  finish:int ->
  body:(int -> 'a option) ->
  pool ->
  'a option
(** A result of [body] that is not [None], if any. Iterations that have not
    begun when the result is found do not begin. *)
