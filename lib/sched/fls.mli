(** Fiber-local storage: what a fiber carries with it wherever it runs.

    A fiber begins with what its maker had, unless it is made with another
    {!type-storage}; so do the tasks and branches that it publishes. Storage is
    immutable, so what a fiber sets is seen by itself and by those it makes
    later. Unlike [Domain.DLS] it is stable over waits, migration and
    preemption.

    Cost: a look-up is logarithmic in the number of keys of the fiber.

    Source: Manticore, section 2.3; keys are those of hmap. *)

type storage = Hmap.t
type 'a key = 'a Hmap.key

val empty : storage
val key : unit -> 'a key

val find : 'a key -> 'a option
(** The running fiber's; [None] outside a fiber. *)

val set : 'a key -> 'a -> unit
(** For the running fiber, from now on. Raises {!Dromos_fiber.Misplaced} outside
    a fiber. *)

val remove : 'a key -> unit

val let_ : 'a key -> 'a -> (unit -> 'b) -> 'b
(** [let_ key v f] is [f ()] with [key] set to [v] meanwhile. *)

val current : unit -> storage

val find_in : Fiber.ready -> 'a key -> 'a option
(** That of a fiber in a scheduler's hands. *)

val set_in : Fiber.ready -> 'a key -> 'a -> unit
(** By the scheduler that holds it. *)

val add : 'a key -> 'a -> storage -> storage
