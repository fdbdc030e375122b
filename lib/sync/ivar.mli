(** Write-once cells: a value that is published once, to all readers.

    {[
      # open Dromos_sync
      # let config = Ivar.create ~name:"config" () in
        let d = Domain.spawn (fun () -> String.length (Ivar.read config)) in
        Ivar.fill config "verbose";
        Domain.join d
      - : int = 7
    ]}

    {b An ivar or a promise?} A {!Promise} is the result of a computation: it
    fails if the computation fails, it knows whether its result was read, and a
    task that awaits it may have to run the computation; [async] returns a
    promise. An ivar is a cell that a task fills: an ivar has no exceptions (use
    [('a, exn) result Ivar.t]), no computation behind it, and a name. Use a
    promise for the result of a task, and an ivar for news that tasks tell each
    other once. For news that comes again and again, see {!Channel}.

    Lock-free. Any task, thread or callback can call all operations; only
    {!read} waits. A reader that is cancelled leaves in O(1). Actions before
    {!fill} happen before actions after {!read}. Filling wakes all readers, in
    order of arrival.

    Sources: I-structures (Arvind, Nikhil, Pingali, 1989);
    {!Dromos_sync.Author.Once}, which is model-checked. *)

type 'a t

val create : ?name:string -> unit -> 'a t
(** [name] appears in errors and in reports of deadlocks. *)

val full : 'a -> 'a t
(** An ivar that is filled from the start. *)

val fill : 'a t -> 'a -> unit
(** Raises [Invalid_argument] if the ivar is full. *)

val try_fill : 'a t -> 'a -> bool
(** [false] if the ivar is full. *)

val read : ?timeout:float -> 'a t -> 'a
(** Raises {!Event.Timeout} if the ivar is not filled in [timeout] seconds. *)

val read_event : 'a t -> 'a Event.t
val peek : 'a t -> 'a option
val is_full : 'a t -> bool
