(** Private deques, sender-initiated: a worker that has nothing says so in a
    cell of its own, and whoever has items deals its oldest into that cell.

    {!push}, {!pop} and {!tick} cost one atomic read of a word that changes only
    when some worker begins or ceases to wait; if somebody waits, also a search
    for the cell, linear in the number of workers, and one compare-and-set.
    Nothing blocks or spins: who waits may sleep, if those who deal wake it, and
    takes its announcement back with one compare-and-set.

    Beside {!Private_}, whose thieves must ask somebody who already has items,
    an announcement stays: it is answered by the first item that anybody pushes,
    also when the receiver fell asleep long before. What was pushed while nobody
    waited stays until its owner's next operation, as there.

    Against [Ws_deques.S]: {!steal} announces its caller to all, whatever the
    [~victim]; {!withdraw} never has to be repeated; {!block} and {!unblock} do
    nothing, since nobody asks; {!may_have} reads two integers that their owner
    may be changing: any answer is possible then.

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
    lab, on two cores that other programs used as well (so: processor time, and
    what several runs agree on). A task for a worker that sleeps, while its
    maker computes (wakeup): started after some 20 us, as with public deques;
    with {!Private_}, never within 100 ms. A task and an await for every node
    (skynet_async, two workers): 0.4 to 0.8 of the processor time with public
    deques, and mostly under that with {!Private_} (0.45 to 1.7). Coarser forks
    and loops (fib, for_irregular, msort), and one worker: no difference. The
    finest forks (nqueens, two workers): 0.6 to 1.3 of either, from run to run.
    The price: short jobs with more workers than cores, where it wakes more
    workers than there is room for: twice the processor time of public deques
    for a job of 7 ms, three times for one of 0.4 ms.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013. There a busy worker looks
    at one random cell from time to time; here at the count of those who wait,
    whenever it touches its deque, and at all cells only if there are any.
    Model-checked, in test/deque: no item is lost or doubled, and whoever waits
    gets an item or can withdraw; and tested there against sequential models, in
    one thread and on two domains.

    {b Checked.}
    - proved (proofs/deque/dealing.v): all;
    - model-checked (test/deque): [push], [pop], [tick], [oldest], [dealt],
      [steal], [withdraw], [waits_for_answer];
    - tested (test/deque): all. *)

include Ws_deques.S

val oldest : 'a t -> int -> 'a option
(** Worker [i] takes its oldest item. *)

val dealt : 'a t -> int -> int
(** Whom worker [i] dealt to in its last {!push}, {!pop} or {!tick} since it
    asked, or -1: to be woken if it sleeps. Ask after each of them. *)
