(** Dromos beside Eio: tasks of either wait for the other.

    - In an Eio fiber: {!wrap} makes every structure of [Dromos_sync] suspend
      the fiber; {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_eio} runs Eio code and waits for the result.

    {[
      Eio_main.run @@ fun env ->
      let file = Eio.Path.(Eio.Stdenv.cwd env / "numbers") in
      let sum =
        Dromos_eio.offload (fun () ->
            let lines = Dromos_eio.in_eio (fun () -> Eio.Path.load file) in
            String.split_on_char '\n' lines
            |> Dromos.Par.List.map_reduce ~map:int_of_string ~combine:( + )
                 ~init:0)
      in
      Eio.traceln "%d" sum
    ]}

    {b Exceptions} keep their backtraces, in both directions.

    Tested against Eio 1.6 (eio_linux and eio_posix). *)

(** {1 In an Eio fiber} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. Inside [f], waiting for a promise, a mutex or a channel
    of [Dromos_sync] (and so for tasks of a Dromos run) suspends the calling Eio
    fiber alone; the domain's other fibers go on. Any domain, systhread or
    scheduler may wake the fiber.

    {b Cancellation} of the fiber ([Switch.fail], [Fiber.first], ...) ends the
    wait at once with Eio's [Cancelled]; a lock or a message that was meant for
    the fiber goes to the next waiter. [Cancel.protect] keeps a wait from being
    cancelled. A fiber that was woken before the cancellation keeps its result,
    and notices the cancellation at its next Eio operation.

    {b Fibers started inside} ([Fiber.fork], [Fiber.both], ...) have handlers of
    their own: start them with {!fork}, or call [wrap] in each. A fiber without
    [wrap] can wait too, through [Domain_local_await], which Eio provides and
    the library [dromos] uses; but to a [Mutex] all such fibers of a domain are
    the same owner. *)

val fork : sw:Eio.Switch.t -> (unit -> unit) -> unit
(** [Eio.Fiber.fork ~sw (fun () -> wrap f)]. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain: [f] may fork
    ([Dromos.both], [Par]), wait, and call {!in_eio}. Meanwhile the calling Eio
    fiber waits, and the domain's other fibers go on. [f] runs in a scope of its
    own, and [offload] returns when all tasks of the scope are over.

    Cancelling the Eio fiber cancels the scope: [f] stops at its next
    cancellation point, and then [offload] raises Eio's [Cancelled]. Forks,
    loops of [Par] and waits are such points. A function without any runs to its
    end, and so does the [Eio.Time.with_timeout] around it: let it call
    [Dromos.check] now and then.

    [pool] (default: {!default_pool}) may be any runtime, and other threads may
    use the same; [offload] waits for room in a bounded queue. A function that
    blocks its thread holds a worker: put [Dromos.blocking] around the call that
    blocks.

    Callers are Eio fibers, inside {!wrap} or not; elsewhere [Dromos.Misplaced]
    is raised. Raises {!Dromos.Runtime.Stopped}. Costs some 20 us.

    [Dromos.run] raises [Dromos.Misplaced] in an Eio fiber, since the run would
    block the fiber's loop; on a domain that Eio made for the caller
    ([Eio.Domain_manager.run], [Eio.Executor_pool]) [Dromos.run] works. *)

val default_pool : unit -> Dromos.Runtime.t
(** The runtime of the process, for Eio loops on any number of domains. The
    first use starts the runtime, with [DROMOS_WORKERS] workers, or without the
    variable one fewer than [Dromos.default_workers ()], since Eio's domain is
    busy too. *)

(** {1 In a Dromos fiber} *)

val in_eio : (unit -> 'a) -> 'a
(** [in_eio f] runs [f] in a new Eio fiber and waits for the result: for Eio's
    files, sockets and clocks. The fiber belongs to the switch of the {!offload}
    that started the caller, and runs on the domain of that [offload]. While
    {!with_loop} goes on, any other caller's [f] runs on the loop of
    [with_loop].

    Cancelling the caller cancels the Eio fiber; [in_eio] raises when the Eio
    fiber has ended. Cancelling the fiber of the [offload] cancels both, and
    after that [in_eio] raises Eio's [Cancelled] at once, also in
    [Dromos.protect]: clean-up code has to do without Eio.

    Raises [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val with_loop : (('env -> unit) -> unit) -> ('env -> 'a) -> 'a
(** [with_loop Eio_main.run (fun env -> ..)] calls its second argument in the
    calling thread, while Eio runs on a domain of its own: for programs that are
    Dromos programs, or none, and need Eio's libraries through {!in_eio}. [env]
    is to be used in [in_eio].

    {[
      Dromos_eio.with_loop Eio_main.run (fun env ->
          Dromos.run (fun () ->
              let fetch name =
                Dromos_eio.in_eio (fun () ->
                    Eio.Path.(load (Eio.Stdenv.cwd env / name)))
              in
              Dromos.Par.List.map ~grain:1 fetch [ "a"; "b" ]))
    ]}

    If Eio ends before that function is over, since [run] has failed or has
    cancelled its argument, {!in_eio} raises [Dromos.Misplaced] from then on,
    and [with_loop] raises what [run] raised. Raises [Dromos.Misplaced] while
    another [with_loop] goes on. *)
