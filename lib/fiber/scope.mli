(** Structured concurrency: a scope ends after every part that was started in
    the scope. Owner of [cut_short] of a scope, and of [root] of a run.
    [Dromos.Scope] documents the public functions. *)

type t = Types.scope

val make : unhandled:Orphan.receiver -> Types.run -> t
(** A scope with a cancellation node of its own, whose body has not ended. *)

val set_root : Types.run -> t -> unit
(** Sets the run's outermost scope: when the run is made, and while
    {!Unreachable} asks the collector. *)

val inner : t -> t
(** A new scope of the same run; its failures go where the given scope's
    failures go. *)

val body : Fiber.t -> t -> (t -> 'a) -> 'a
(** Runs the scope's function as the fiber's code, then waits for the scope's
    tasks and raises the scope's failures. Called once per scope. *)

val run : ?unhandled:Orphan.receiver -> (t -> 'a) -> 'a
(** [unhandled] defaults to the value of the calling fiber's scope. *)

val async : ?name:string -> t -> (unit -> 'a) -> 'a Dromos_sync.Promise.t

val fork :
  ?name:string -> ?otherwise:(unit -> unit) -> t -> (unit -> unit) -> unit

val cancel : t -> unit
val is_cancelled : t -> bool

val fail : t -> exn -> Printexc.raw_backtrace -> unit
(** Records the failure of a part of the scope, and {!cancel}s the scope. The
    scope raises the first failure, with later failures attached
    ({!Suppressed}). *)

val was_cut_short : t -> bool
(** [true] if a part has left with [Cancelled] after the scope was cancelled, or
    has never begun. Exact when the scope is over. *)

val failures : t -> Suppressed.failure list
(** The failures that {!run} would raise if the scope ended now: first the
    failures of the scope's parts, then those of tasks that no fiber has
    awaited, oldest first. Any thread may call [failures]. *)

val task : ?name:string -> (unit -> 'a) -> 'a Dromos_sync.Promise.t
(** [Dromos.async]. *)

val task_with :
  ?name:string ->
  over:(unit -> unit) ->
  (unit -> 'a) ->
  'a Dromos_sync.Promise.t
(** {!val-task}, for structures that lend the task something: [over] is called
    once at the end of the task, in the task, before the promise has its result;
    also if the task was cancelled before it ran the function, and by the caller
    if [task_with] raises. [over] must not raise. *)

val task_later :
  ?name:string ->
  reason:string ->
  over:(unit -> unit) ->
  (unit -> 'a) ->
  'a Dromos_sync.Promise.t * (unit -> unit)
(** [task_later ~reason ~over f] is the promise of {!task_with}, and a function
    that makes the task runnable. The structure must call the function once,
    from any thread; the function does not wait. Until then the task takes some
    20 words, and the scope's end waits for the task. In reports, tasks that
    await the promise wait on [reason]. *)

val enter : t -> unit
(** Counts a new part of the scope, which {!start} then starts. *)

val start :
  Dromos_kernel.Pool.context ->
  ?task:Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  t ->
  ?name:string ->
  fls:Hmap.t ->
  (unit -> unit) ->
  (unit -> unit) ->
  unit
(** [start context ~task scope ~fls f over] runs in a kernel task and starts a
    part that was {!enter}ed: a fiber of the scope, which runs [f] unless the
    scope is cancelled, and then always [over]. An exception of [f] fails the
    scope. [over] must not raise. [task] is the kernel task; a policy recognises
    the fiber by [task] after a wait. Without [task] the fiber's first task is a
    fresh task ({!Start.fiber}). *)

val unhandled :
  ?runtime:string -> (exn -> Printexc.raw_backtrace -> unit) -> Unhandled.t
(** {!Unhandled.told_to}; each call in a fiber has a scope of its own. *)

val guest : t -> kind:string -> Types.guest -> (unit -> unit) -> unit
(** Starts a part that runs the function, with the caller's storage, even if the
    scope is cancelled by then. The part's fiber has the given guest from the
    start. An exception fails the scope. Called by a fiber of the scope's run.
*)

val post : t -> name:string -> (unit -> unit) -> unit
(** Starts a part that runs the function, unless the scope is over. Any thread
    may call [post]. *)

(** {1 For the scheduling framework} *)

val prepare :
  t ->
  kind:string ->
  ?name:string ->
  ?pin:int ->
  ?checked:bool ->
  fls:Hmap.t ->
  ?ends:(unit -> unit) ->
  (Fiber.t -> Types.directive) ->
  Types.handle
(** {!Start.prepare} for a part of the scope: an exception of the part fails the
    scope, and the scope waits for the part's end. The code does not begin if
    the scope is already cancelled, unless [~checked:false] is given: code that
    has a fiber in hand from the start must begin. *)
