(** Work stealing from private deques: thieves ask, and victims answer when they
    next push, pop or [tick].

    A push or a pop of the owner touches plain memory only, and reads two cells
    of its own. A thief depends on its victims: a task that computes for long
    without a push or a tick holds back the tasks of its worker. Therefore a
    thief that has waited in vain for some microseconds sleeps, and leaves a
    mark at every worker that has tasks. At its next operation, such a worker
    notifies every thief that left a mark. A thief has one request at a time,
    and moves the request to another victim if no answer comes.

    All other properties are those of {!Std}.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013; Parabs, section 6.2. Here
    a thief may sleep while its request is under way. The sleep is model-checked
    in test/kernel.

    {b Checked.}
    - proved (proofs/hub/private_.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
