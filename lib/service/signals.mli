(** Where signal handlers run. Internal to Dromos.

    Domains and threads that Dromos starts are born with every signal blocked,
    so that OCaml's handlers run on the program's own threads, not in the middle
    of a scheduler's code or of a domain's birth. *)

val blocked : (unit -> 'a) -> 'a
(** Runs a function with every signal blocked in the calling thread; what it
    spawns inherits that. *)

val making : (unit -> 'a) -> 'a
(** {!blocked}, for what makes threads or domains of Dromos's own
    ({!Own_threads.making}). *)

val protect : Mutex.t -> (unit -> 'a) -> 'a
(** [Mutex.protect] with signals {!blocked}: a handler that raises leaves no
    lock behind, nor half a change, and no fiber is preempted while it holds it
    ({!Mask}). For short sections off the hot paths. *)

val restored : (unit -> 'a) -> 'a
(** Runs a function with the mask the program started with. *)
