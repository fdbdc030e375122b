(** A value of the library that is no root while the collector is asked which
    other roots lead to the value. Internal; for {!Unreachable} and the values
    that it takes out.

    The value must be on the heap ([Gc.finalise]). The value survives in any
    case: if nothing else keeps the value, a finaliser does. *)

type 'a t

val value : 'a -> 'a t
(** The caller must drop its own references. *)

val finaliser : unit -> Obj.t
(** A function like the finalisers of {!value}; the code tells these finalisers
    from the program's. *)

val back : 'a t -> 'a
(** The value again. Call [back] once, on any thread, after a full collection on
    the domain that called {!value}: that domain's finalisers have run by then.
*)
