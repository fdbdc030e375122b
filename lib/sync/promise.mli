(** Write-once cells that tasks of any scheduler can wait for.

    A promise is pending until it is resolved, once, with a value or with an
    exception and its backtrace. A wait suspends only the calling task, or parks
    the thread where no scheduler runs: see {!Dromos_suspend}.

    All operations are lock-free and may be called from any domain, systhread or
    scheduler. Resolving happens before the return of every await.

    A waiter that is cancelled costs nothing from then on: its cell is cleared
    in O(1) and swept later. A promise never holds more than twice its live
    waiters.

    Checked: dscheck (await, resolve and cancel in every order), qcheck-stm
    against a sequential model.

    {[
      # let p = Dromos_sync.Promise.create () in
        let d = Domain.spawn (fun () -> Dromos_sync.Promise.await p + 1) in
        Dromos_sync.Promise.resolve p 41;
        Domain.join d
      - : int = 42
    ]} *)

include Promise_intf.S with type 'a t = 'a Promise_core.t
(** @inline *)
