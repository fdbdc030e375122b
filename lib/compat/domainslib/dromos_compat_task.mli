(** [Domainslib.Task] over [Dromos]. [Domainslib]'s interface says what differs
    from Domainslib. *)

type 'a task = unit -> 'a
type !'a promise
type pool

(** {1 Pools}

    Every function below but {!setup_pool}, {!lookup_pool} raises
    [Invalid_argument "pool already torn down"] once the pool was torn down. *)

val setup_pool : ?name:string -> num_domains:int -> unit -> pool
(** A pool of [num_domains] domains, to which each caller of {!run} adds its
    own: [num_domains + 1] workers. Domains are started when there is work.
    {!lookup_pool} finds the pool by [name].

    With [~num_domains:0] all happens on the domains that call {!run}. Tasks
    that are made outside of any [run] wait for the next one there.

    Raises [Invalid_argument] if [num_domains] is less than 0, and
    [Failure "failed to allocate domain"] if it is more than 127, which is what
    OCaml has beside the caller's. *)

val teardown_pool : pool -> unit
(** The end of the pool, and of its name. Waits for tasks that were made outside
    of any {!run}; with [~num_domains:0] those that wait for a [run] never
    begin. To be called when no [run] of the pool is active. *)

val lookup_pool : string -> pool option
(** The last pool that was set up with this name, if it was not torn down. *)

val get_num_domains : pool -> int
(** [num_domains + 1]. *)

(** {1 Tasks} *)

val run : pool -> 'a task -> 'a
(** Calls the function on the calling domain, with the pool's domains at its
    side, and returns its result, or raises its exception, when it and all tasks
    made in it are over.

    From any domain and thread, several at a time. Inside a [run] of the same
    pool, [run pool f] is [f ()]. Inside a [run] of another pool, or inside
    [Dromos.run], the function runs on domains of the pool, and the calling task
    is suspended until it has returned. The same, with the calling thread
    blocked, goes for code inside Lwt's, Eio's or Async's loop. *)

val async : pool -> 'a task -> 'a promise
(** A task on the pool: of the caller's {!run}, if that is of the same pool;
    else it begins at once on the pool's domains ([~num_domains:0]: in the next
    {!run}). *)

val await : pool -> 'a promise -> 'a
(** The task's result, or its exception with its backtrace. The promise may be
    of any pool. Raises [Effect.Unhandled] outside of any {!run}, unless the
    task is over. *)

(** {1 Loops}

    All indices from [start] to [finish], these two included. [chunk_size] is
    how many iterations the pieces have that run one after the other. Without
    it, or with 0 or less, pieces are what [Dromos.Par.for_chunks] takes: at
    least 8 for each worker, and a single one on a pool of [~num_domains:0].

    Outside of any {!run} a loop of more than one piece raises
    [Effect.Unhandled], but on a pool of [~num_domains:0], where it is a plain
    loop. *)

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
    order of the indices, [init] first and once: [combine] has to be
    associative, and nothing else. *)

val parallel_scan : pool -> ('a -> 'a -> 'a) -> 'a array -> 'a array
(** [[| a0; op a0 a1; op (op a0 a1) a2; ... |]] for an associative [op]. *)

val parallel_find :
  ?chunk_size:int ->
  start:int ->
  finish:int ->
  body:(int -> 'a option) ->
  pool ->
  'a option
(** A result of [body] that is not [None], if there is one. Iterations that have
    not begun when it is found do not begin. *)
