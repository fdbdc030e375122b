(** Dromos beside Eio: each waits for the other.

    - In an Eio fiber: {!wrap} lets it wait for any structure of [Dromos_sync];
      {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_eio} runs Eio code and waits for it.

    {[
      Eio_main.run @@ fun env ->
      let file = Eio.Path.(Eio.Stdenv.cwd env / "numbers") in
      let sum =
        Dromos_eio.offload (fun () ->
            let lines = Dromos_eio.in_eio (fun () -> Eio.Path.load file) in
            String.split_on_char '\n' lines
            |> Dromos.Par.List.map_reduce ~map:int_of_string ~combine:( + ) 0)
      in
      Eio.traceln "%d" sum
    ]}

    {b Exceptions} keep their backtraces, in both directions.

    Tested against Eio 1.6 (eio_linux and eio_posix). *)

(** {1 In an Eio fiber} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. In it whatever waits through {!Dromos_suspend}
    (promises, mutexes, channels of [Dromos_sync], and so the tasks of a Dromos
    run elsewhere) suspends the calling Eio fiber alone; the domain's other
    fibers go on. The fiber is woken from any domain, systhread or scheduler.

    {b Cancellation} of the fiber ([Switch.fail], [Fiber.first], ...) ends the
    wait at once with Eio's [Cancelled], and what was meant for the fiber goes
    to the next waiter; a wait in [Cancel.protect] is not disturbed. A fiber
    that has been resumed already keeps what it was given, and notices at its
    next Eio operation.

    {b Fibers started inside} ([Fiber.fork], [Fiber.both], ...) have handlers of
    their own: start them with {!fork}, or call [wrap] in each. In a fiber
    without it waiting works too, through [Domain_local_await], which Eio
    provides and the library [dromos] uses, but all such fibers of a domain look
    like one owner to a [Mutex]. *)

val fork : sw:Eio.Switch.t -> (unit -> unit) -> unit
(** [Eio.Fiber.fork ~sw (fun () -> wrap f)]. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain: it may fork
    ([Dromos.both], [Par]), wait, and call {!in_eio}. The Eio fiber waits; the
    domain's others go on. [f] runs in a scope of its own: [offload] returns
    when all that it started is over.

    If the Eio fiber is cancelled, the scope of [f] is, and [offload] raises
    Eio's [Cancelled] when [f] is over: [f] stops at its next cancellation point
    ([Dromos.check]).

    [pool] (default: {!default_pool}) may be any runtime, used by other threads
    too; a bounded queue that is full is waited for. A function that blocks its
    thread holds a worker: put [Dromos.blocking] around it.

    To be called in an Eio fiber, with or without {!wrap}. Raises
    {!Dromos.Runtime.Stopped}. Costs some 20 us.

    [Dromos.run] itself raises [Dromos.Misplaced] in an Eio fiber, whose loop it
    would block; on a domain that Eio made for the caller
    ([Eio.Domain_manager.run], [Eio.Executor_pool]) it works. *)

val default_pool : unit -> Dromos.Runtime.t
(** One for the process, for Eio loops on any number of domains: started when
    first asked for, with [DROMOS_WORKERS] workers, or one fewer than
    [Dromos.default_workers ()] without it, since Eio's domain is busy too. *)

(** {1 In a Dromos fiber} *)

val in_eio : (unit -> 'a) -> 'a
(** [in_eio f] runs [f] in a new fiber of Eio, on the domain and under the
    switch of the {!offload} that the caller belongs to, and waits for it: for
    Eio's files, sockets, clocks. The caller is a function of [offload], or a
    fiber that it started; or anybody, while {!with_loop} goes on.

    If the caller is cancelled, the Eio fiber is, and [in_eio] raises when that
    has ended. If the fiber of the [offload] is cancelled, so are both.

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

    Raises [Dromos.Misplaced] while another [with_loop] goes on. *)
