(** [Domainslib.Task], version 0.5.2, over Dromos.

    For measurements: programs that were written for Domainslib run on Dromos
    without a change. [run] starts a Dromos run of its own, or calls the
    function if it is in one. Tasks that are made outside of any run go to a
    runtime that the pool starts then.

    Where Domainslib raises [Effect.Unhandled], outside of any [run], loops are
    sequential here and [await] blocks the thread. *)

type 'a task = unit -> 'a
type 'a promise
type pool

val setup_pool : ?name:string -> num_domains:int -> unit -> pool
(** A pool of [num_domains + 1] workers. Raises [Invalid_argument] if
    [num_domains] is less than 0 or more than 127. *)

val teardown_pool : pool -> unit
(** Waits for tasks that were made outside of any run. The pool's other
    functions raise [Invalid_argument] from then on. *)

val lookup_pool : string -> pool option

val get_num_domains : pool -> int
(** The calling domain is counted. *)

val run : pool -> 'a task -> 'a
val async : pool -> 'a task -> 'a promise
val await : pool -> 'a promise -> 'a

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

val parallel_scan : pool -> ('a -> 'a -> 'a) -> 'a array -> 'a array

val parallel_find :
  ?chunk_size:int ->
  start:int ->
  finish:int ->
  body:(int -> 'a option) ->
  pool ->
  'a option
