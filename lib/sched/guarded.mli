(** Calls of functions by a scheduler's author in the middle of other work: when
    a fiber is resumed, or a lock released. Internal. *)

val call : what:(unit -> string) -> ('a -> 'b) -> 'a -> 'b
(** {!Dromos_suspend.Callback.call}: an attempt to wait in the function raises
    {!Dromos_suspend.Misplaced}, in the name of [what]. The calling fiber is not
    preempted during the call, so the function may take a lock of the standard
    library for a moment. *)

val or_told : what:(unit -> string) -> default:'b -> ('a -> 'b) -> 'a -> 'b
(** Like {!call}; an exception of the function is reported, and the result is
    [default]. *)
