(** Domainslib's interface over Dromos: programs that were written for
    Domainslib 0.5.2 run on Dromos's scheduler as they are. One word of the
    program's dune file changes:

    {v
      (executable
       (name main)
       (libraries dromos-domainslib-compat)) ; before: domainslib
    v}

    The {{!page-index}first page of the package} shows how to redirect a whole
    workspace, with the libraries that it contains. No program can link both
    this library and the real one: each has the module [Domainslib].

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
    errors that Domainslib documents. [num_domains] domains work beside the
    caller of {!Task.run}; the function given to [run] begins on the caller's
    domain. A task that waits lets its domain run other tasks, and may go on on
    another domain. Exceptions keep their backtraces. A failure of a task goes
    to whoever awaits it, and nowhere else. No task is ever cancelled because
    another one has failed.

    {b What differs}:

    - {!Task.run} returns when its function and all tasks that were made in it
      are over; Domainslib's returns when the function is over, and leaves tasks
      that nobody has awaited to the pool. A program in which such a task waits
      for what the program does after [run] does not end here.
    - {!Task.teardown_pool} waits for tasks that were made outside of any [run].
      Domainslib's may drop them.
    - The order in which tasks begin is another one. A task that its maker
      awaits before another domain has taken it runs in place of the [await].
    - Domains belong to no pool. All pools borrow them from one set, give them
      back when a [run] ends, and a domain without work ends after a fraction of
      a second: so the values of [Domain.self] and [Domain.DLS] of worker
      domains do not last from one [run] to the next. Two pools that are busy at
      the same time have as many domains as the larger one, and those that call
      [run].
    - An iteration that fails ends its piece of the range, all other pieces run,
      and then the leftmost failure is raised. Domainslib's loops raise one of
      the failures, perhaps while other iterations still run.
    - A {!Task.run} takes 10 to 20 microseconds before its function begins, and
      as many to bring another domain: a program of many short steps has them
      all in one [run].
    - A handler of the program's own effects around {!Task.run} is not in force
      in the function (Domainslib's tasks are without it, too, but the function
      itself is not). Put it inside, around what performs the effect.
    - A signal's handler that raises ([Sys.catch_break]) ends the {!Task.run} of
      the main thread once the tasks have reached a cancellation point, as it
      does [Dromos.run], and is not raised inside of a task: a loop that
      computes and never forks nor waits goes on to its end.
    - A [run] whose tasks all wait for each other raises [Dromos.Deadlock] with
      a list of them; Domainslib's never returns.
    - Between its waits a task of Domainslib holds its domain. So does one here,
      and a {!Chan} operation that has to wait suspends the task alone, where
      Domainslib's blocks the domain.

    In a task all of Dromos may be used too: [Dromos.both], [Dromos.Par],
    channels, [Dromos.sleep]. *)

module Task = Dromos_compat_task
module Chan = Dromos_compat_chan
