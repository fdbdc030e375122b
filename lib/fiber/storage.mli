(** Fiber-local storage, and its replacement for code outside fibers. Internal;
    [Dromos.Fls] documents the public part. *)

val current : unit -> Hmap.t
(** The running fiber's storage. Outside fibers: the calling thread's storage,
    empty if the thread has none. A new task or fiber begins with this storage.
*)

val set : call:string -> Hmap.t -> unit
(** Sets the current storage. Outside fibers [set] raises {!Misplaced.Misplaced}
    in the name of [call], unless the thread has a storage of its own that can
    be set. *)

val within : Hmap.t -> (unit -> 'a) -> 'a
(** Runs the function with the given storage, and then restores the earlier
    storage. Branches that were forked before do not see the given storage. Any
    thread may call [within]. *)

val within_fiber : Fiber.t -> Hmap.t -> (unit -> 'a) -> 'a
(** {!within}, called by the fiber. *)

val within_thread : Hmap.t -> (unit -> 'a) -> 'a
(** {!within} for code outside fibers. On a thread without a bridge's storage,
    values that the function sets are dropped at its end. *)

val provide : Types.outside -> unit -> unit
(** The calling thread's code outside fibers uses the given storage, until the
    result is called on the same thread. *)

val save : unit -> unit -> unit
(** Used by {!Dromos_suspend.Carried}. *)

val owned_forks : bool ref
(** [true]: a scheduler with forks of its own ({!Types.type-owner}) has run in
    this process; never set back. *)
