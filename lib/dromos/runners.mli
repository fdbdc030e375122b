(** Numbered jobs, at most so many at a time, each in a fiber. Internal: what
    {!Race}, {!Tasks} and {!Pipe} have in common.

    A number of fibers, the runners, take the next job's number in turn, so that
    jobs begin in order and a job that has not begun takes no room. *)

val count : call:string -> ?max:int -> int -> int
(** How many of [n] jobs may run at once. Raises [Invalid_argument] in the name
    of [call] if [max] is not positive, {!Misplaced} outside a run. *)

val go :
  call:string ->
  ?max:int ->
  int ->
  (Dromos_fiber.Scope.t -> int -> unit) ->
  unit
(** [go ~call ~max n job] runs [job scope i] for each [i] below [n], at most
    [max] (default: [n]) at once, in a scope of theirs, and returns when all are
    over. An exception of a job is the scope's; when the scope is cancelled
    nothing more begins. Each job begins with the caller's {!Storage} and a
    stream of random numbers of its own. Raises as {!count}. *)

val endless : Dromos_fiber.Scope.t -> most:int -> (int -> bool) -> unit
(** Has runners, tasks of the scope, run [job 0], [job 1] and so on, until each
    of them has had the answer [false]: at most [most], each of which makes the
    next one when it begins. Returns at once. Jobs have storage and streams as
    in {!go}. *)

val alone : (unit -> 'a) -> 'a
(** A job's code in a scope of its own: over when all that it started is. *)
