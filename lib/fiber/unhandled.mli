(** Failures that no fiber awaits, from the failure to the end of the scope.
    [on_unhandled] of [Dromos.run] documents the public part. Internal.

    {!Scope} keeps the failure of an [async] task, and [note] adds a note to the
    run. The companion of the run's caller ({!Watcher}) takes the notes that are
    a second old and starts a fiber. The fiber tells each failure whose promise
    was not awaited meanwhile. *)

type t = Orphan.receiver

val standard : t
(** Tells the {!Dromos_service.Reporter}; scopes raise unawaited failures as
    well. *)

val told_to : ?runtime:string -> (exn -> Printexc.raw_backtrace -> unit) -> t
(** Calls a function of the program's; scopes do not raise failures that were
    passed to the function. If the function raises, both failures are printed,
    with the name of the [runtime]. *)

val in_runtime : string -> t
(** {!standard}, with the runtime's name. *)

val tell : t -> what:string -> exn -> Printexc.raw_backtrace -> unit
(** Tells a failure at once, in the calling fiber or thread. [what] names the
    part of the program that raised the exception. *)

val follow :
  ?shown:bool -> Types.scope -> exn -> Suppressed.failure list -> unit
(** [follow scope e failures] attaches [failures] to [e] ({!Suppressed}), and
    tells the ones that [e] cannot carry. For a fiber of the scope that is about
    to raise [e], where [failures] came later. *)

(** {1 Tasks} *)

val keep :
  Types.scope ->
  ?name:string ->
  awaited:(unit -> bool) ->
  exn ->
  Printexc.raw_backtrace ->
  unit
(** A task of the scope, with the given name, has failed: the scope keeps the
    failure, and the run a note of the failure. Called by the task's fiber.
    Lock-free. A scope keeps all failures that are neither awaited nor told, and
    the oldest hundred of the other failures that the scope will raise. *)

val unread : Types.scope -> Suppressed.failure list
(** The failures that the scope keeps, that no fiber has awaited, and that the
    program's function has not seen, oldest first. Any thread may call [unread].
*)

val settle : Types.scope -> Suppressed.failure list
(** Ends the notes of a scope: returns the failures that the scope must raise,
    in order. If the program has given a function, [settle] calls the function
    with the remaining failures instead, and returns none. Called by the scope's
    fiber, once. *)

val due : Types.run -> Orphan.t list * bool
(** Takes the notes that are due. The flag: other notes are left. Called on the
    companion's thread. *)

val at_exit : Types.run list -> unit
(** At the end of the program: tells all noted failures that are unread, in the
    calling thread. *)

val tell_orphan : Orphan.t -> unit
(** Tells the failure, with the task's storage, unless the promise is awaited or
    another fiber has told the failure. Called by a fiber. *)
