(** Functions of a scheduler's author that are called in the middle of something
    else: by whoever wakes a fiber, or releases a lock. Internal. *)

val call : what:(unit -> string) -> ('a -> 'b) -> 'a -> 'b
(** {!Dromos_suspend.Callback.call}: an attempt to wait raises
    {!Dromos_suspend.Misplaced} in the function, in the name of [what]. If a
    fiber calls, the fiber is not preempted meanwhile, so that the function may
    take a lock of the standard library for a moment. *)

val masked : ('a -> 'b) -> 'a -> 'b
(** Without preemption; outside fibers there is none. *)

val or_told : what:(unit -> string) -> default:'b -> ('a -> 'b) -> 'a -> 'b
(** Likewise; an exception of the function is reported, and the answer is
    [default]. *)
