(** First-class synchronous operations (Concurrent ML's events).

    An ['a Event.t] describes an operation that may have to wait: receiving from
    a channel, locking a mutex, awaiting a promise, a time-out. {!sync} carries
    out the operation. {!choose} makes one event of several: the new event
    carries out exactly one of the operations, the first that is possible, and
    leaves the others undone. Every blocking operation of this library has an
    event named after the operation, with the suffix [_event].

    {[
      # open Dromos_sync
      # let a = Channel.create () and b = Channel.create () in
        let d = Domain.spawn (fun () -> Channel.send b 42) in
        let v =
          Event.sync
            (Event.choose
               [
                 Event.wrap (Channel.recv_event a) (fun n -> `A n);
                 Event.wrap (Channel.recv_event b) (fun n -> `B n);
                 Event.wrap (Event.timeout 10.) (fun () -> `Late);
               ])
        in
        Domain.join d;
        v
      - : [> `A of 'a | `B of int | `Late ] = `B 42
    ]}

    Events are values: any task may synchronize on an event, many times.
    Synchronizing from a task suspends only the task; from a plain thread, it
    parks the thread; for callers of another kind (Lwt) see
    {!Dromos_sync.Author.Event.start}.

    {b Fairness}: of several operations that are possible at once, each has the
    same chance. Operations that wait queue in their structures like all other
    waiters. {b Cost}: linear in the number of branches.

    Sources: Reppy, {e Concurrent Programming in ML};
    {!Dromos_sync.Author.Waiter} explains how a select is decided. *)

include Event_intf.S with type 'a t = 'a Event_core.t
(** @inline *)
