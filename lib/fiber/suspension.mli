(** Who resumes a suspended fiber: the structure it waits for or its
    cancellation, whichever comes first, once.

    Lock-free. Checked: dscheck (one of the two wins; the loser's listener is
    left, so that nothing stays behind). *)

type t

val create : unit -> t

val won : t -> bool
(** [true] for the first caller, which resumes the fiber. Leaves the
    cancellation node. From anywhere. *)

val listen : t -> exn Dromos_sync.Once.t -> (exn -> unit) -> unit
(** [listen t node wake], at most once, by the thread that suspended the fiber:
    [wake] is called when [node] is cancelled, at once if it already is, unless
    the fiber was resumed before. [wake] decides by {!won} too. *)
