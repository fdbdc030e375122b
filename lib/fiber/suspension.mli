(** The resumption of a suspended fiber: either the structure that the fiber
    waits for resumes the fiber, or its cancellation does, whichever comes
    first; once.

    Lock-free. Checked: dscheck (one of the two wins; the listener of the loser
    is left, so no listener stays behind). *)

type t

val create : unit -> t

val won : t -> bool
(** [true] for the first caller, which resumes the fiber. Leaves the
    cancellation node. Any thread may call [won]. *)

val listen : t -> exn Dromos_sync.Author.Once.t -> (exn -> unit) -> unit
(** [listen t node wake], called at most once, by the thread that suspended the
    fiber: [wake] is called when [node] is cancelled, or at once if [node] is
    already cancelled, unless the fiber was resumed before. [wake] must call
    {!won} to decide, too. *)
