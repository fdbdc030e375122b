(** Private deques, sender-initiated: a worker without items announces itself in
    a cell of its own, and a worker with items deals its oldest item into the
    cell.

    {!push}, {!pop} and {!tick} cost one atomic read of a word that changes only
    when a worker begins or ceases to wait. If some worker waits, the dealer
    also searches for the cell, in time linear in the number of workers, and
    does one compare-and-set. No operation blocks or spins. A waiting worker may
    sleep if dealers wake it, and withdraws its announcement with one
    compare-and-set.

    A thief of {!Private_} must ask a victim that already has items. Here an
    announcement stays: the first item that any worker pushes answers the
    announcement, even if the receiver fell asleep long before. As in
    {!Private_}, an item that was pushed while no worker waited stays until its
    owner's next operation.

    Differences from [Ws_deques.S]:
    - {!steal} announces its caller to all workers and ignores [~victim].
    - The caller never has to repeat {!withdraw}.
    - {!block} and {!unblock} do nothing, since no thief leaves a request.
    - {!may_have} reads two integers that their owner may be changing; then any
      answer is possible.

    {[
      module Dealing = Dromos_deque.Dealing

      let () =
        let t = Dealing.create ~workers:2 ~dummy:0 in
        assert (Dealing.steal t ~thief:1 ~victim:0 = None);
        Dealing.push t 0 42;
        assert (Dealing.dealt t 0 = 1);
        assert (Dealing.steal t ~thief:1 ~victim:0 = Some 42)
    ]}

    {b Measured} as hubs, with {!Private_} and {!Public} in the same runs of the
    lab, on two cores that other programs used as well. Therefore the figures
    are processor times, and only those on which several runs agree.
    - A task for a sleeping worker, while the maker of the task computes
      (wakeup): started after some 20 us, as with public deques; with
      {!Private_}, never within 100 ms.
    - A task and an await for every node (skynet_async, two workers): 0.4 to 0.8
      of the processor time with public deques, and mostly less than the time
      with {!Private_} (0.45 to 1.7).
    - Coarser forks and loops (fib, for_irregular, msort), and one worker: no
      difference.
    - The finest forks (nqueens, two workers): 0.6 to 1.3 of either, from run to
      run.
    - Short jobs with more workers than cores: slower, since the deques wake
      more workers than there are cores. Twice the processor time of public
      deques for a job of 7 ms, three times for a job of 0.4 ms.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013. In the paper, a busy
    worker looks at one random cell from time to time. Here a busy worker looks
    at the count of the waiting workers at each operation on its deque, and at
    all cells only if the count is not 0. Model-checked in test/deque: no item
    is lost or doubled, and a waiting worker gets an item or can withdraw.
    Tested there against sequential models, in one thread and on two domains.

    {b Checked.}
    - proved (proofs/deque/dealing.v): all;
    - model-checked (test/deque): [push], [pop], [tick], [oldest], [dealt],
      [steal], [withdraw], [waits_for_answer];
    - tested (test/deque): all. *)

include Ws_deques.S

val oldest : 'a t -> int -> 'a option
(** Worker [i] takes its oldest item. *)

val dealt : 'a t -> int -> int
(** The worker that worker [i] last dealt to since the previous call of [dealt],
    or -1. The caller wakes the receiver if the receiver sleeps. Worker [i]
    calls [dealt] after each {!push}, {!pop} and {!tick}. *)
