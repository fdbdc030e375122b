(** Private deques, receiver-initiated: a worker's items are in plain memory
    that no other thread touches, and thieves ask for items.

    [push] and [pop] cost no atomic store, only a read of the worker's own
    request cell. The exception is a deque that becomes empty or ceases to be
    empty: a worker without items marks its cell, so that no thief waits in
    vain. The price is that the victim must cooperate: an item moves only when
    its owner pushes, pops or {!tick}s. A thief that waits too long asks another
    victim.

    {b Sender-initiated} private deques are {!Dealing}: there idle workers
    announce themselves, and busy workers deal to them.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013; Parabs, section 6.2. Here
    the request and the status cell are one atomic word, so that no request can
    arrive after its victim has stopped answering. A thief does not wait for the
    answer but collects the answer later. Model-checked in test/deque: no item
    is lost or doubled, and every thief that asks gets an answer or can
    withdraw. Tested there against sequential models, in one thread and on two
    domains.

    {b Checked.}
    - proved (proofs/deque/private_.v): all;
    - model-checked (test/deque): [push], [pop], [oldest], [tick], [block],
      [unblock], [steal], [withdraw], [waits_for_answer], [may_have];
    - tested (test/deque): all. *)

include Ws_deques.S

val oldest : 'a t -> int -> 'a option
(** Worker [i] takes its oldest item, and answers a thief if one has asked. *)
