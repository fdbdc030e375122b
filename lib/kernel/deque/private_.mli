(** Private deques, receiver-initiated: a worker's items are in plain memory
    that nobody else touches, and thieves ask for them.

    [push] and [pop] cost no atomic store, only the read of the worker's own
    request cell, except when the deque becomes empty or ceases to be: a worker
    with nothing to share announces it, so that nobody waits for it in vain. The
    price is the victim's cooperation: an item moves only when its owner pushes,
    pops or {!tick}s. A thief that waits too long asks somebody else.

    {b Sender-initiated} private deques are {!Dealing}: there idle workers
    announce themselves, and busy ones deal to them.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013; Parabs, section 6.2. Here
    the request and the status cell are one atomic word, so that no request can
    slip in after its victim has stopped to answer; and a thief does not wait
    for the answer but comes back for it. Model-checked, in test/deque: no item
    is lost or doubled, and whoever asks is answered or can withdraw; and tested
    there against sequential models, in one thread and on two domains.

    {b Checked.}
    - proved (proofs/deque/private_.v): all;
    - model-checked (test/deque): [push], [pop], [oldest], [tick], [block],
      [unblock], [steal], [withdraw], [waits_for_answer], [may_have];
    - tested (test/deque): all. *)

include Ws_deques.S

val oldest : 'a t -> int -> 'a option
(** Worker [i] takes its oldest item, and answers a thief, if one has asked. *)
