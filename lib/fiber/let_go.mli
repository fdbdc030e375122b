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
(** The value again. Called once. The calling thread must not need the
    finalisers of the domain that called {!value} to run yet: call [back] after
    a full collection there. *)
