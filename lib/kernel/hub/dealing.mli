(** Work dealing from private deques: a worker that has nothing says so, and
    whoever has tasks deals it the oldest when it next pushes, pops or [tick]s.

    A push or a pop of the owner touches plain memory, and reads two words that
    change only when workers begin or cease to wait or to serve. An idle worker
    sleeps with its announcement left behind: whoever deals to it wakes it. So a
    task pushed while some worker has nothing reaches that one at once, as with
    {!Std}, and other than with {!Private_}, even if the one that pushed it then
    computes for long; one that was pushed before stays where it is until then.

    Nobody can be dealt anything in a role that no thread serves; while there
    are such roles, whoever has tasks keeps one in the shared queue, for the
    thread that comes to serve.

    Otherwise as {!Std}.

    Source: Acar, Charguéraud and Rainey, PPoPP 2013, for
    {!Dromos_deque.Dealing}. Sleeping while announced and the vacant roles are
    ours; sleeping is model-checked in test/kernel.

    {b Checked.}
    - proved (proofs/hub/dealing.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
