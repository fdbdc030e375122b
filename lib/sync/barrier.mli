(** Where a fixed number of parties wait for each other, round after round.

    {[
      # open Dromos_sync
      # let b = Barrier.create 2 and log = Atomic.make [] in
        let rec add x =
          let l = Atomic.get log in
          if not (Atomic.compare_and_set log l (x :: l)) then add x in
        let party () =
          for round = 1 to 3 do add round; ignore (Barrier.wait b : bool) done in
        let d = Domain.spawn party in
        party ();
        Domain.join d;
        List.rev (Atomic.get log)
      - : int list = [1; 1; 2; 2; 3; 3]
    ]}

    The last of [n] parties to arrive lets all go, and the next round begins.
    Lock-free; from any task, systhread or domain. What a party did before it
    arrived happens before what all do after they were let go.

    {b Cancellation}: a party that is cancelled, or whose time is up, takes its
    arrival back, and the round needs another one. If the last party came before
    that, the round has taken place: the party returns normally, and meets its
    cancellation at its next point. So in each round exactly [n] calls return.

    {b Why there is no [wait_event]}: of a choice that may still decide for
    something else a barrier could only be let go by deciding all [n] of them at
    once. {!arrive} is what can be had: an arrival that stands, and an event for
    the rest.

    Sources: POSIX barriers (one serial party); [arrive] of C++20. Checked:
    dscheck in test/sync. *)

type t

val create : ?name:string -> int -> t
(** [create n], for [n] parties. Raises [Invalid_argument] if [n < 1]. [name]
    appears in reports of deadlocks. *)

val wait : ?timeout:float -> t -> bool
(** Arrives and waits for the others. [true] for one party in each round, the
    last to arrive. Raises {!Event.Timeout} if the others need more than
    [timeout] seconds. *)

val arrive : t -> unit Event.t
(** Arrives, for good, and does not wait; the event is possible once all others
    have arrived, and stays so. *)

val parties : t -> int

val arrived : t -> int
(** A snapshot of how many wait in this round. *)
