(** Write-once cells: a value that is published once, to everybody.

    {[
      # open Dromos_sync
      # let config = Ivar.create ~name:"config" () in
        let d = Domain.spawn (fun () -> String.length (Ivar.read config)) in
        Ivar.fill config "verbose";
        Domain.join d
      - : int = 7
    ]}

    {b An ivar or a promise?} A {!Promise} is the result of a computation: it
    fails if the computation does, it knows whether anybody read it, and whoever
    awaits it may have to run it; [async] returns one. An ivar is a cell that
    somebody fills: it has no exceptions ([('a, exn) result Ivar.t] has), no
    computation behind it, and a name. Use a promise for what a task returns, an
    ivar for what tasks tell each other once. For what is told again and again,
    see {!Channel}.

    Lock-free; all operations from any task, thread or callback; {!read} alone
    waits. A reader that is cancelled leaves in O(1). What happened before
    {!fill} happens before what follows a {!read}. Filling wakes all who wait,
    in the order in which they came.

    Sources: I-structures (Arvind, Nikhil, Pingali, 1989); {!Once}, which is
    model-checked. *)

type 'a t

val create : ?name:string -> unit -> 'a t
(** [name] appears in errors and in reports of deadlocks. *)

val full : 'a -> 'a t
(** Filled from the start. *)

val fill : 'a t -> 'a -> unit
(** Raises [Invalid_argument] if it is full. *)

val try_fill : 'a t -> 'a -> bool
(** [false] if it is full. *)

val read : ?timeout:float -> 'a t -> 'a
(** Raises {!Event.Timeout} if it is not filled in [timeout] seconds. *)

val read_event : 'a t -> 'a Event.t
val peek : 'a t -> 'a option
val is_full : 'a t -> bool

(** {1 For structures} *)

val source : reason:string -> 'a t -> 'a Waiter.source
(** {!read}, for another reason. *)
