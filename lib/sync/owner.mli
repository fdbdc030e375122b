(** Owners: the holder of a lock has an identity. For authors of structures.

    An owner is a {!Dromos_suspend.self}. Where the scheduler tells its tasks
    apart, the owner is the task; without a scheduler, the owner is the thread.
    Where the caller cannot be told from its neighbours, the owner is {!nobody},
    and nothing is checked.

    {b A field of this type is a plain field.} Only the holder writes the field:
    its own identity after acquiring the lock, {!released} before releasing it.
    A task that reads its own identity wrote the field and has not cleared it:
    the task holds the lock. (A task never reads its own writes out of order,
    and schedulers order the actions of a task on one domain before its actions
    on the next.) Any other value means that the reader does not hold the lock;
    the value may be out of date, and serves only for messages to people.

    @canonical Dromos_sync.Author.Owner *)

type t = int

val nobody : t
(** The owner of a lock whose holder has no identity. *)

val released : t
(** No task's identity. The owner of a lock from the moment at which a holder
    with an identity begins to release the lock until the next holder runs. The
    lock may be free, or may have been passed to a task that does not run yet.
*)

val holder : t -> t
(** The value of an owner field for messages and watchers: {!nobody} in place of
    {!released}. *)

val self : unit -> t

val pp : ?name:string -> t -> string
(** [pp id] is ["fiber 7"], with the task's name if known, or ["thread 0"], or
    ["no task"]. The name is [name] if given, and otherwise the answer of the
    function of {!set_name}. *)

val set_name : (t -> string) -> unit
(** [set_name f], for schedulers: [f id] is the name of a task, or [""] if the
    task is unknown or has no name. Any thread may call [f]. Process wide. *)

val set_hint : (unit -> string) -> unit
(** [set_hint f], for schedulers: {!waits_for_itself} adds [f ()] to its message
    for a thread. The hint is [""], or a clause saying that several tasks may be
    one owner there. Process wide. *)

val is : t -> t -> bool
(** [is a b] is [true] if [a] and [b] are equal, and not {!nobody}. *)

val waits_for_itself : string -> string option -> t -> 'a
(** [waits_for_itself call name id] raises [Invalid_argument]: in [call], on the
    structure [name], the owner [id] would wait for a lock of its own. *)

val check : string -> string option -> owner:t -> t -> unit
(** [check call name ~owner id] raises [Invalid_argument] unless [id] is the
    lock's owner, or one of the two is {!nobody}. *)

val not_held : string -> string option -> t -> 'a
(** [not_held call name id] raises [Invalid_argument]: [id] tried to release a
    lock that is not held. *)
