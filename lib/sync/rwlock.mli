(** Locks held by many readers, or by one writer, at a time.

    {[
      # open Dromos_sync
      # let l = Rwlock.create () and table = Hashtbl.create 8 in
        let d =
          Domain.spawn (fun () ->
            Rwlock.with_write l (fun () -> Hashtbl.replace table "x" 1))
        in
        Domain.join d;
        Rwlock.with_read l (fun () -> Hashtbl.find table "x")
      - : int = 1
    ]}

    {b Fair}: readers and writers share one queue, and enter in order of
    arrival; adjacent readers enter together. A reader that comes while a writer
    waits goes behind the writer. Neither kind can starve the other. Do not lock
    for reading again while you hold the lock for reading: if a writer came in
    between, the task waits for itself.

    {b Callers}: tasks, systhreads and domains; callbacks may call all functions
    that do not wait. Lock-free except for the wait. A read lock is a
    compare-and-set on a word that all readers share, so the lock pays off where
    readers hold it for microseconds or longer. The actions of a writer before
    its unlock happen before the actions of the next holders; the actions of
    readers happen before the actions of the next writer.

    {b Cancellation}: a waiter that is cancelled or times out leaves without the
    lock. Waiters behind that can enter now do so at once. A task that was
    already given the lock returns with the lock, and meets its cancellation at
    its next cancellation point.

    {b Owners}: a writer that unlocks a lock of another writer, or locks again
    (for reading or writing), gets [Invalid_argument] with an explanation, as
    from {!Mutex}. Readers are counted, not known.

    Sources: the readers and writers of Courtois, Heymans and Parnas (1971); in
    one queue, as in the fair lock of Mellor-Crummey and Scott (PPoPP 1991),
    here a {!Dromos_sync.Author.Line}. Checked: dscheck and stress in test/sync.
*)

type t

val create : ?name:string -> unit -> t
(** [name] appears in errors and in reports of deadlocks. *)

(** {1 Reading} *)

val with_read : ?timeout:float -> t -> (unit -> 'a) -> 'a

val lock_read : ?timeout:float -> t -> unit
(** Raises {!Event.Timeout}. *)

val try_lock_read : t -> bool
(** [false] if a writer holds the lock or waits for it. *)

val lock_read_event : t -> unit Event.t

val unlock_read : t -> unit
(** Raises [Invalid_argument] if no task reads. *)

(** {1 Writing} *)

val with_write : ?timeout:float -> t -> (unit -> 'a) -> 'a
val lock_write : ?timeout:float -> t -> unit

val try_lock_write : t -> bool
(** [false] if a task holds the lock or waits for it. *)

val lock_write_event : t -> unit Event.t
val unlock_write : t -> unit

val downgrade : t -> unit
(** From writing to reading, with no other writer in between. Readers at the
    front of the queue enter too. (There is no way back: two readers would wait
    for each other.) *)

(** {1 Looking} *)

val readers : t -> int
(** The number of readers that hold the lock; a snapshot. *)

val is_locked_write : t -> bool
