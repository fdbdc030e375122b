(** The fork of {!Stealing}: a parallel binding, with a fast and a slow path.
    Internal; {!Stealing} has the promises to users.

    In the paper, [pval] pushes its continuation as a fiber on the scheduler's
    deque before evaluating its first part. Here [pval] links the continuation,
    the body, as a latent frame ({!Fiber.type-frame}) on the running fiber,
    which costs a few plain words. The body goes into a deque, still as a
    closure, only when an instance looks for work ([hungry]) or the fiber waits.
    The body becomes a fiber when a vproc takes it. The paper proposes such
    polling in section 7.3: work is published only for thieves that will steal
    it. *)

type thieves = {
  offer : Dromos_fiber.Types.worker -> Dromos_fiber.Types.branch -> unit;
      (** offers a body of the fiber that the vproc runs to other vprocs; from
          any thread, neither waits nor raises *)
  hungry : Dromos_fiber.Types.worker -> bool;
      (** [true] if the fiber should offer more bodies; called on the vproc *)
  take_back : Dromos_fiber.Types.node -> unit;
      (** the owner runs the body with the given node itself, on this vproc: a
          deque may drop the body *)
}

val key : thieves Hmap.key
(** The key of the scheduler to which the fiber's bodies are offered. Without a
    value, bodies are published in the run's hub, as the branches of other forks
    are. *)

val fiber_of : Dromos_fiber.Types.branch -> Dromos_fiber.Types.handle
(** A claimed body, as a fiber. Call [fiber_of] in a fiber. *)

val to_the_root : Dromos_fiber.Types.run -> Dromos_fiber.Types.branch -> unit
(** Publishes a body in the run's hub. From anywhere. *)

val bind :
  Dromos_fiber.Fiber.t ->
  (Dromos_fiber.Fiber.t -> 'a) ->
  (Dromos_fiber.Fiber.t -> (unit -> 'a) -> 'b) ->
  'b
(** [pval], called by the given fiber. *)

val bind_plain :
  Dromos_fiber.Fiber.t -> (unit -> 'a) -> ((unit -> 'a) -> 'b) -> 'b
(** [pval] for parts that do not take the fiber as an argument. *)
