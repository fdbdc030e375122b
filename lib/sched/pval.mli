(** The fork of {!Stealing}: a parallel binding, with a fast and a slow path.
    Internal; see there for what users are promised.

    In the paper the continuation of a [pval] is pushed as a fiber on the
    scheduler's deque before its first part is evaluated. Here it is linked as a
    latent frame ({!Fiber.type-frame}) on the running fiber, which costs a few
    plain words, and goes into a deque, still as a closure, only when a thief is
    hungry or the fiber waits; it becomes a fiber when it is taken. This is what
    the paper proposes in section 7.3: publishing relegated to successful steals
    by polling. *)

type thieves = {
  offer : Fiber.worker -> Fiber.branch -> unit;
      (** a body of the fiber that this vproc runs may be run by others; from
          any thread, neither waits nor raises *)
  hungry : Fiber.worker -> bool;
      (** whether more should be offered, asked on that vproc *)
  take_back : Fiber.cancel -> unit;
      (** the body with this node is run by its owner after all, on this vproc:
          a deque may forget it *)
}

val key : thieves Hmap.key
(** In fiber-local storage: whom the fiber's bodies are offered to. Without it
    they are published in the run's hub, as other forks are. *)

val fiber_of : Fiber.branch -> Fiber.ready
(** A body that was claimed, as a fiber. By a fiber. *)

val to_the_root : Fiber.run -> Fiber.branch -> unit
(** Publishes a body in the run's hub. From anywhere. *)

val bind : Fiber.t -> (Fiber.t -> 'a) -> (Fiber.t -> (unit -> 'a) -> 'b) -> 'b
(** [pval], by that fiber. *)

val bind_plain : Fiber.t -> (unit -> 'a) -> ((unit -> 'a) -> 'b) -> 'b
(** The same for parts that do not want the fiber. *)
