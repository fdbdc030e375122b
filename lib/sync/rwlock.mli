(** Locks that many readers, or one writer, hold at a time.

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

    {b Fair}: readers and writers stand in one line and are let in in the order
    in which they came, readers that stand together at once. A reader that comes
    while a writer waits goes behind it. So neither can starve the other; and a
    reader that locks again what it holds for reading waits for itself if a
    writer came in between: don't.

    {b Who may call}: tasks, systhreads, domains; callbacks all but those that
    wait. Lock-free but for the wait itself; a read lock is a compare-and-set on
    a word that all readers share, so it pays where what it protects takes
    microseconds. What a writer did before it unlocked happens before what the
    next holders do; what readers did, before what the next writer does.

    {b Cancellation}: a waiter that is cancelled or whose time is up leaves,
    without the lock; those behind it that need not wait any longer are let in
    at once. Who was given the lock returns with it, and meets its cancellation
    at its next point.

    {b Owners}: a writer that unlocks what another writer holds, or locks again,
    for reading or writing, is told so ([Invalid_argument]), as by {!Mutex}.
    Readers are counted, not known.

    Sources: the readers and writers of Courtois, Heymans and Parnas (1971); in
    one line, as in the fair lock of Mellor-Crummey and Scott (PPoPP 1991),
    which here is a {!Line}. Checked: dscheck and stress in test/sync. *)

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
(** Raises [Invalid_argument] if nobody reads. *)

(** {1 Writing} *)

val with_write : ?timeout:float -> t -> (unit -> 'a) -> 'a
val lock_write : ?timeout:float -> t -> unit

val try_lock_write : t -> bool
(** [false] if anybody holds the lock, or stands in line for it. *)

val lock_write_event : t -> unit Event.t
val unlock_write : t -> unit

val downgrade : t -> unit
(** From writing to reading, without anybody in between. Lets in readers that
    are next in line. (There is no way back: two readers would wait for each
    other.) *)

(** {1 Looking} *)

val readers : t -> int
(** A snapshot of how many hold it for reading. *)

val is_locked_write : t -> bool
