(** Domainslib's interface over Dromos: programs written for Domainslib 0.5.2
    run on Dromos's scheduler as they are. Only a word of the program's dune
    file changes:

    {v
      (executable
       (name main)
       (libraries dromos-domainslib-compat)) ; before: domainslib
    v}

    The {{!page-index}first page of the package} shows how to redirect a whole
    workspace, with its libraries. No program can link both this library and the
    real Domainslib: each has a module [Domainslib].

    {[
      # module T = Domainslib.Task
      module T = Domainslib.Task
      # let pool = T.setup_pool ~num_domains:1 ()
      val pool : T.pool = <abstr>
      # let rec fib n =
          if n < 2 then n
          else
            let a = T.async pool (fun () -> fib (n - 1)) in
            let b = fib (n - 2) in
            T.await pool a + b
      val fib : int -> int = <fun>
      # T.run pool (fun () -> fib 15)
      - : int = 610
      # T.run pool (fun () ->
            T.parallel_for_reduce pool ~start:1 ~finish:100 ~body:Fun.id ( + ) 0)
      - : int = 5050
      # T.teardown_pool pool
      - : unit = ()
      # T.run pool (fun () -> fib 15)
      Exception: Invalid_argument "pool already torn down".
    ]}

    {b The same as in Domainslib}: every function, its type, its result, and the
    errors documented by Domainslib. [num_domains] domains work beside the
    caller of {!Task.run}; the function given to [run] begins on the caller's
    domain. A task that waits lets its domain run other tasks, and may continue
    on another domain. Exceptions keep their backtraces. The failure of a task
    reaches only the tasks that await it. The failure of a task cancels no other
    task.

    {b Differences}:

    - {!Task.run} returns when its function and all tasks made in it are over.
      Domainslib's [run] returns when the function is over, and leaves unawaited
      tasks to the pool. If such a task waits for an action of the program after
      [run], the program does not end here.
    - {!Task.teardown_pool} waits for tasks made outside any [run]. Domainslib
      may drop such tasks.
    - Tasks begin in a different order. If a task's maker awaits the task before
      another domain has taken it, the task runs in place of the [await].
    - Domains belong to no pool. All pools borrow domains from one set, and give
      them back when a [run] ends; a domain without work ends after a fraction
      of a second. The values of [Domain.self] and [Domain.DLS] of worker
      domains therefore do not last from one [run] to the next. Two pools that
      are busy at the same time share as many domains as the larger pool has,
      besides the domains that call [run].
    - An iteration that fails ends its piece of the range, all other pieces run,
      and then the leftmost failure is raised. Domainslib's loops raise any of
      the failures, perhaps while other iterations still run.
    - A {!Task.run} takes 10 to 20 microseconds before its function begins, and
      as many to bring another domain: a program of many short steps should run
      them all in a single [run].
    - A handler of the program's own effects around {!Task.run} does not cover
      the function given to [run]. In Domainslib, the handler covers the
      function, but not the tasks. Install the handler inside, around the code
      that performs the effect.
    - A signal handler that raises ([Sys.catch_break]) ends the {!Task.run} of
      the main thread as soon as the tasks have reached a cancellation point, as
      in [Dromos.run]. The exception is not raised inside a task: a loop that
      only computes, and never forks or waits, runs to its end.
    - A [run] whose tasks all wait for each other raises [Dromos.Deadlock] with
      a list of the tasks; Domainslib's [run] never returns.
    - Between its waits, a task holds its domain, as in Domainslib. A {!Chan}
      operation that has to wait suspends only the task; in Domainslib the
      operation blocks the domain.

    A task may also use all of Dromos: [Dromos.both], [Dromos.Par], channels,
    [Dromos.sleep]. *)

module Task = Dromos_compat_task
module Chan = Dromos_compat_chan
