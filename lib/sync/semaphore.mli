(** Counting semaphores for tasks of every scheduler.

    A semaphore holds a number of permits; {!acquire} takes one, waiting while
    there are none, {!release} gives one back. Waiters are served first in,
    first out: a permit that is released while somebody waits goes to the first
    of them and to nobody else.

    Lock-free; all operations may be called from any task, systhread, domain or
    callback. A waiter that is cancelled leaves in O(1), and loses no permit.
    What a task did before [release] happens before what the one that acquires
    that permit does after.

    {[
      # let s = Dromos_sync.Semaphore.create 2 in
        Dromos_sync.Semaphore.with_permit s (fun () ->
            Dromos_sync.Semaphore.permits s)
      - : int = 1
    ]} *)

type t

val create : ?name:string -> int -> t
(** [create n] has [n] permits. Raises [Invalid_argument] if [n < 0]. [name]
    appears in reports of deadlocks. *)

val acquire : ?timeout:float -> t -> unit
(** Raises {!Timeout} if that takes more than [timeout] seconds. *)

val try_acquire : t -> bool
val acquire_event : t -> unit Event.t

val release : t -> unit
(** Never blocks. By anyone: permits have no owners. Raises [Invalid_argument]
    if there are [max_int] of them. *)

val with_permit : ?timeout:float -> t -> (unit -> 'a) -> 'a

val permits : t -> int
(** A snapshot of the number of free permits. *)

exception Timeout
(** {!Event.Timeout}. *)
