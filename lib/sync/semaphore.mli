(** Counting semaphores for tasks of every scheduler.

    A semaphore holds a number of permits. {!acquire} takes one permit, or [n]
    at once, and waits while fewer are free. {!release} gives permits back.

    {b Order.} Waiters are served first in, first out, whatever their [n].
    Permits released while tasks wait are kept for the first waiter. No task
    overtakes the first waiter, even if the free permits suffice for a smaller
    request behind. Small requests cannot starve large requests. When the first
    waiter leaves (cancelled, timed out, or served by another branch of its
    select), the waiters behind get the free permits at once.

    Lock-free; any task, systhread, domain or callback may call all operations.
    A waiter that is cancelled leaves in O(1), and loses no permit. The actions
    of a task before [release] happen before the actions of the task that
    acquires the permit. {!try_acquire} can answer [false] while permits are
    under way to a waiter that is just leaving.

    {[
      # let s = Dromos_sync.Semaphore.create 2 in
        Dromos_sync.Semaphore.with_permit s (fun () ->
            Dromos_sync.Semaphore.permits s)
      - : int = 1
    ]}

    Permits can stand for amounts: bytes that may be in memory at a time.

    {[
      # open Dromos_sync
      # let memory = Semaphore.create ~name:"memory" ~max:1_000_000 1_000_000
      val memory : Semaphore.t = <abstr>
      # let load size = Semaphore.with_permit ~n:size memory (fun () -> Bytes.create size)
      val load : int -> bytes = <fun>
      # Bytes.length (load 400_000)
      - : int = 400000
      # load 2_000_000
      Exception:
      Invalid_argument
       "Semaphore.acquire ~n:2000000: there are never more than 1000000 permits".
    ]}

    Checked: dscheck, random histories against a model, qcheck-stm and stress,
    in test/sync. *)

type t

val create : ?name:string -> ?max:int -> int -> t
(** [create n] has [n] permits. With [max], at most [max] permits can be free: a
    request for more, which would wait for ever, and a {!release} beyond [max]
    raise [Invalid_argument]. Without [max] any task may add permits, and a
    request of any size waits for them. Raises [Invalid_argument] if [n < 0] or
    [n > max]. [name] appears in reports of deadlocks. *)

val acquire : ?timeout:float -> ?n:int -> t -> unit
(** Takes [n] permits together (default 1): no permit is held while the caller
    waits for the rest. A request for 0 permits never waits. Raises {!Timeout}
    if the wait takes more than [timeout] seconds, and [Invalid_argument] if [n]
    is negative or more than [max]. *)

val try_acquire : ?n:int -> t -> bool
(** [false] if the caller would have to wait, for permits or behind another
    waiter. *)

val acquire_event : ?n:int -> t -> unit Event.t
(** If a select has several branches on one semaphore, their waiters queue in
    the order of the branches: put the smallest request first. *)

val release : ?n:int -> t -> unit
(** Never blocks. Any task may release: permits have no owners. Raises
    [Invalid_argument], and adds nothing, if [n] is negative or more than [max]
    ([max_int] by default) permits would be free. O(1) per waiter served. *)

val with_permit : ?timeout:float -> ?n:int -> t -> (unit -> 'a) -> 'a
(** [with_permit t f] acquires, calls [f], and releases whatever happens in [f].
*)

val permits : t -> int
(** A snapshot of the number of free permits. *)

exception Timeout
(** {!Event.Timeout}. *)
