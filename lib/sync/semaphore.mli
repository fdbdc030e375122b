(** Counting semaphores for tasks of every scheduler.

    A semaphore holds a number of permits; {!acquire} takes one, or [n] at once,
    waiting while there are fewer, {!release} gives them back.

    {b Order.} Waiters are served first in, first out, whatever their [n]:
    permits that are released while somebody waits are kept for the first of
    them, and nobody overtakes it, also if there are enough for a smaller
    request behind. So large requests are not starved by small ones. When the
    first one leaves (cancelled, timed out, or chosen otherwise), those behind
    it get what is there at once.

    Lock-free; all operations may be called from any task, systhread, domain or
    callback. A waiter that is cancelled leaves in O(1), and loses no permit.
    What a task did before [release] happens before what the one that acquires
    that permit does after. {!try_acquire} can answer [false] while permits are
    under way to a waiter that is leaving at that moment.

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
(** [create n] has [n] permits. With [max], no more than that many can ever be
    free: a larger request, which would wait for ever, and a {!release} beyond
    it raise [Invalid_argument]. Without [max] anybody may add permits, and a
    request of any size waits for them. Raises [Invalid_argument] if [n < 0] or
    [n > max]. [name] appears in reports of deadlocks. *)

val acquire : ?timeout:float -> ?n:int -> t -> unit
(** Takes [n] permits (default 1; none are there at once) together: none is held
    while the caller waits for the others. Raises {!Timeout} if that takes more
    than [timeout] seconds, and [Invalid_argument] if [n] is negative or more
    than [max]. *)

val try_acquire : ?n:int -> t -> bool
(** [false] if it would have to wait, be it behind somebody else. *)

val acquire_event : ?n:int -> t -> unit Event.t
(** Several of one semaphore in a choice stand in its line one behind the other,
    in their order: the smallest belongs first. *)

val release : ?n:int -> t -> unit
(** Never blocks. By anyone: permits have no owners. Raises [Invalid_argument],
    and adds nothing, if [n] is negative or more than [max] ([max_int] by
    default) permits would be free. O(1) for each waiter that it serves. *)

val with_permit : ?timeout:float -> ?n:int -> t -> (unit -> 'a) -> 'a
(** [acquire], the function, and [release] whatever happens in it. *)

val permits : t -> int
(** A snapshot of the number of free permits. *)

exception Timeout
(** {!Event.Timeout}. *)
