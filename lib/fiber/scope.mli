(** Structured concurrency: nothing started in a scope outlives it. The public
    part is documented in [Dromos.Scope]. *)

type t = Fiber.scope

val make : unhandled:Fiber.unhandled -> Fiber.run -> t
(** A scope with a node of its own, whose body has not ended. *)

val inner : t -> t
(** Another one of that run, whose failures go where the scope's do. *)

val body : Fiber.t -> t -> (t -> 'a) -> 'a
(** Runs the scope's function as the fiber's code, then waits for the scope's
    tasks and raises what is to be raised. Once per scope. *)

val run : ?unhandled:Fiber.unhandled -> (t -> 'a) -> 'a
(** [unhandled] is that of the calling fiber's scope if not given. *)

val async : ?name:string -> t -> (unit -> 'a) -> 'a Dromos_sync.Promise.t

val fork :
  ?name:string -> ?otherwise:(unit -> unit) -> t -> (unit -> unit) -> unit

val cancel : t -> unit
val is_cancelled : t -> bool

val fail : t -> exn -> Printexc.raw_backtrace -> unit
(** One of its parts has failed: {!cancel}s it. The first failure will be
    raised, with later ones attached to it ({!Suppressed}). *)

val was_cut_short : t -> bool
(** Whether a part has left with [Cancelled] after the scope was cancelled, or
    has never begun. Exact when the scope is over. *)

val failures : t -> Suppressed.failure list
(** Those of its parts, then those of tasks that nobody has awaited: what {!run}
    would raise if the scope ended now, oldest first. From anywhere. *)

val task : ?name:string -> (unit -> 'a) -> 'a Dromos_sync.Promise.t
(** [Dromos.async]. *)

val enter : t -> unit
(** One part more, to be started with {!start}. *)

val start :
  Dromos_kernel.Pool.context ->
  ?task:Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  t ->
  ?name:string ->
  fls:Hmap.t ->
  (unit -> unit) ->
  (unit -> unit) ->
  unit
(** [start context ~task scope ~fls f over], in a kernel task, for a part that
    was {!enter}ed: a fiber of the scope that runs [f], unless the scope is
    cancelled, and [over] at its end, whatever happened; an exception fails the
    scope. [over] must not raise. [task] is the kernel task, by which a policy
    knows the fiber again when it has waited; without it the fiber is one that
    the kernel task started ({!Task.start}). *)

val unhandled :
  ?runtime:string -> (exn -> Printexc.raw_backtrace -> unit) -> Unhandled.t
(** {!Unhandled.told_to}, with a scope of its own for each call in a fiber. *)

val guest : t -> kind:string -> Fiber.guest -> (unit -> unit) -> unit
(** By a fiber of the scope's run: a part that runs the function, with the
    caller's storage, also if the scope is cancelled by then; that guest is the
    fiber's from its start. An exception fails the scope. *)

val post : t -> name:string -> (unit -> unit) -> unit
(** A part that runs the function, unless the scope is over. From anywhere. *)

(** {1 For the scheduling framework} *)

val prepare :
  t ->
  kind:string ->
  ?name:string ->
  ?pin:int ->
  ?checked:bool ->
  fls:Hmap.t ->
  ?ends:(unit -> unit) ->
  (Fiber.t -> Fiber.directive) ->
  Fiber.ready
(** {!Task.prepare} for a part of the scope: its exception fails the scope, and
    the scope waits for its end. If the scope has been cancelled by then the
    code does not begin, unless [~checked:false] is given: for what has a fiber
    in hand from the start. *)
