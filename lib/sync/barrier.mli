(** Barriers: a fixed number of parties wait for each other, round after round.

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

    The last of [n] parties to arrive releases all of them, and the next round
    begins. Lock-free; callable from any task, systhread or domain. The actions
    of a party before its arrival happen before the actions of all parties after
    their release.

    {b Cancellation}: a party that is cancelled or times out takes its arrival
    back, and the round needs another arrival. If the last party came first, the
    round has taken place: the party returns normally, and meets its
    cancellation at its next cancellation point. In each round exactly [n] calls
    return.

    {b Why there is no [wait_event]}: each party's select could still choose
    another branch, so the last party would have to decide all [n] selects in
    one step. Use {!arrive}: an arrival that cannot be taken back, and an event
    for the wait.

    Sources: POSIX barriers (one serial party); [arrive] of C++20. Checked:
    dscheck in test/sync. *)

type t

val create : ?name:string -> int -> t
(** [create n], for [n] parties. Raises [Invalid_argument] if [n < 1]. [name]
    appears in reports of deadlocks. *)

val wait : ?timeout:float -> t -> bool
(** Arrives and waits for the other parties. [true] for one party in each round,
    the last to arrive. Raises {!Event.Timeout} if the other parties need more
    than [timeout] seconds. *)

val arrive : t -> unit Event.t
(** Arrives, for good, and does not wait. The event is possible once all other
    parties have arrived, and stays possible. *)

val parties : t -> int

val arrived : t -> int
(** The number of parties waiting in this round; a snapshot. *)
