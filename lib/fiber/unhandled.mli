(** Failures that nobody awaits: what becomes of them until their scope ends.
    The public part is documented at [on_unhandled] of [Dromos.run]. Internal.

    A task's failure is kept in its scope ({!Scope}), and noted in the run. The
    companion of the run's caller ({!Watcher}) looks at the notes, and has a
    fiber of the run tell what is a second old, not awaited and not told. *)

type t = Fiber.unhandled

val standard : t
(** Prints on stderr, and reads nothing: scopes raise what nobody awaits. *)

val told_to : ?runtime:string -> (exn -> Printexc.raw_backtrace -> unit) -> t
(** A function of the program's: what it is told is not raised. If the function
    raises, both failures are printed, with the name of the [runtime]. *)

val in_runtime : string -> t
(** {!standard}, which prints the runtime's name. *)

val tell : t -> what:string -> exn -> Printexc.raw_backtrace -> unit
(** At once, by the caller. [what] raised the exception, for the message. *)

val follow : Fiber.scope -> exn -> Suppressed.failure list -> unit
(** [follow scope e failures]: [e] is about to be raised, in a fiber of the
    scope, and the failures came after it. They are attached to it
    ({!Suppressed}), or told at once where it cannot carry them. *)

(** {1 Tasks} *)

val note :
  Fiber.scope ->
  ?name:string ->
  awaited:(unit -> bool) ->
  exn ->
  Printexc.raw_backtrace ->
  Fiber.orphan
(** A task of that scope, of the caller's run, has failed. Lock-free. *)

val settle : Fiber.scope -> Fiber.orphan list -> Suppressed.failure list
(** At the end of the scope, in its fiber: those that nobody has awaited, in
    order. A function of the program's is told those that it was not told, and
    then none is returned: nothing is to be raised. *)

val due : Fiber.run -> Fiber.orphan list * bool
(** The failures to be told now, which are noted no more, and whether a note is
    left. *)

val tell_orphan : Fiber.orphan -> unit
(** Unless it is awaited or was told: to its scope's, with the storage of the
    task. By a fiber. *)
