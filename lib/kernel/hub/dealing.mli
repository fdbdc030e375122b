(** Work dealing from private deques: a worker without tasks announces itself,
    and a worker with tasks deals its oldest task when it next pushes, pops or
    [tick]s.

    A push or a pop of the owner touches plain memory, and reads two words that
    change only when workers begin or cease to wait or to serve. An idle worker
    sleeps and leaves its announcement behind; the dealer wakes it. If a worker
    pushes a task while another worker waits, the task reaches the waiting
    worker at once, even if the pushing worker then computes for long: as with
    {!Std}, and unlike {!Private_}. A task that was pushed earlier stays until
    its owner's next operation.

    Dealers cannot deal to a role that no thread serves. While there are such
    roles, a worker with tasks keeps one task in the shared queue, for the
    thread that comes to serve.

    All other properties are those of {!Std}.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013, for
    {!Dromos_deque.Dealing}. Two parts are our own: a worker may sleep after its
    announcement, and vacant roles get a task in the shared queue. The sleep is
    model-checked in test/kernel.

    {b Checked.}
    - proved (proofs/hub/dealing.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
