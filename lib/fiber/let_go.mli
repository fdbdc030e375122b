(** A value of ours that is not to be a root while the collector is asked who
    else leads to it. Internal; for {!Unreachable} and what it takes out.

    The value must be on the heap ([Gc.finalise]). It survives in any case, by a
    finaliser if nothing else keeps it. *)

type 'a t

val value : 'a -> 'a t
(** The caller has to drop its own references. *)

val finaliser : unit -> Obj.t
(** A function of the kind that {!value} attaches, to know them by their code.
*)

val back : 'a t -> 'a
(** Once. From any thread that can wait for finalisers of the one that called
    {!value} no more: after a full collection there. *)
