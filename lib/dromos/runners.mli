(** Numbered jobs, with a bound on the jobs that run at a time. Internal: shared
    by {!Race}, {!Tasks} and {!Pipe}.

    A number of fibers, the runners, take the next job's number in turn, so that
    jobs begin in order and a job that has not begun takes no room. *)

val count : call:string -> ?max:int -> int -> int
(** The number of [n] jobs that may run at once. Raises [Invalid_argument] in
    the name of [call] if [max] is not positive, {!Misplaced} outside a run. *)

val go :
  call:string ->
  ?max:int ->
  int ->
  (Dromos_fiber.Scope.t -> int -> unit) ->
  unit
(** [go ~call ~max n job] runs [job scope i] for each [i] below [n], at most
    [max] (default: [n]) at once, in a scope of their own, and returns when all
    jobs are over. An exception of a job fails the scope; when the scope is
    cancelled no further job begins. Each job begins with the caller's
    {!Storage} and a stream of random numbers of its own. Raises as {!count}. *)

val endless : Dromos_fiber.Scope.t -> most:int -> (int -> bool) -> unit
(** [endless scope ~most job] makes at most [most] runners, tasks of [scope],
    and returns at once. The runners call [job 0], [job 1] and so on; a runner
    ends when a call returns [false]. Each runner makes the next runner when it
    begins. Jobs have storage and streams as in {!go}. *)

val alone : (unit -> 'a) -> 'a
(** [alone f] is [f ()] in a scope of its own: over when all tasks that [f]
    started are over. *)
