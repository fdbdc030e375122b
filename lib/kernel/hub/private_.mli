(** Work stealing from private deques: thieves ask, and victims answer when they
    next push, pop or [tick].

    A push or a pop of the owner touches plain memory only, and reads two cells
    of its own. A thief's luck depends on its victims: a task that computes for
    long without a push or a tick holds back what its worker has. Thieves that
    waited in vain for some microseconds therefore sleep, with a mark left at
    every worker that has tasks: at its next operation such a worker notifies
    whoever marked it. A thief has one request at a time, and moves it to
    another victim if it is not answered.

    Otherwise as {!Std}.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013; Parabs, section 6.2.
    Sleeping with a request under way is ours; it is model-checked in
    test/kernel.

    {b Checked.}
    - proved (proofs/hub/private_.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
