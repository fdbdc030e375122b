(** Whose turn it is: what the fiber level adds to a hub so that everything that
    is ready begins. Internal.

    {b The promise.} A task, fiber or branch that is ready begins after a
    bounded number of slices of some worker that is not computing, whatever
    others yield, wake or spawn. Hubs look at what all workers share, first in
    first out, once in a while whatever else they have ({!Dromos_hub.Central}),
    and thieves look into the deques of others; left to do here is to bring what
    neither of them reaches to what is shared:

    - {e Below in a deque.} A worker runs its newest task first. Every 61st
      fiber that it wakes goes to what is shared, and so does every 61st task
      that it makes, then every 122nd, and so on until the worker rests: a chain
      of tasks each of which makes the next one and ends gives way to the tasks
      below it. The distance grows because a task that gives way lets an older
      one, a larger piece of a divided problem as a rule, begin before newer
      ones are over: of n tasks made at most the square root of n/30 do so, and
      each lets as many older ones begin as the deque then has. A fiber that
      awaits such a task before it has begun gives way in its stead, to some
      tens of tasks, and begins it in place ({!Spawn}).
    - {e Latent frames of a fiber that yields.} A fiber that yields in a loop
      inside a fork publishes its oldest latent frames every 60th time, or when
      it has yielded four times as often as other fibers ran in between if that
      is later: so k fibers that yield in each of their branches do not all
      multiply every 60 yields.
    - {e What only a computing worker reaches}: its fiber's latent frames, and
      tasks in a private deque. A worker that has run 64 slices and not looked
      for 10 ms has the companions of the others publish some, as one that goes
      to sleep does ({!Crew}).

    A worker computes while it is in a fiber that does not fork, wait or yield.
    All functions are called by the worker.

    {b Checked}: tested for each hub (test/front/fairness); the hubs' own part
    is model-checked (test/kernel). *)

val steps_back : Fiber.worker -> Dromos_hub.Hub.reason -> bool
(** Counts a task that the worker is about to push; whether it is to go to what
    all workers share instead. *)

val next_steps_back : Fiber.worker -> unit
(** The next fiber that the worker wakes goes to what all share. *)

val reason_back : Dromos_hub.Hub.reason -> Dromos_hub.Hub.reason
(** As what such a task goes there: a new one as one that yields, so that the
    hub lets the tasks below it in the deque go first. *)

val rested : Fiber.worker -> unit
(** The worker found nothing to do. *)

val yields : Fiber.t -> bool
(** Counts a yield of the fiber; whether it is to publish latent frames first.
*)

val time_to_look : Fiber.worker -> bool
(** After a slice; true if the worker is to look around now. A comparison in
    most cases, then a look at the clock. *)
