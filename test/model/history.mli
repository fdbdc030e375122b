(** Records the results of concurrent operations and decides whether some order
    of the operations, one at a time, explains the results: linearizability,
    after Wing and Gong, 1993. The search is exhaustive, so histories must be
    small. *)

type ('op, 'result) t

val create : unit -> ('op, 'result) t

val call : ('op, 'result) t -> 'op -> (unit -> 'result) -> 'result
(** Runs an operation and records the result. Calls may overlap only like the
    threads of one model-checked execution. *)

exception Not_linearizable of string

val check :
  ('op, 'result) t ->
  init:'state ->
  apply:('state -> 'op -> 'result * 'state) ->
  show:('op -> 'result -> string) ->
  unit
(** Raises {!Not_linearizable}. *)
