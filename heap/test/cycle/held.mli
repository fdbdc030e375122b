(** What keeps a cycle waiting (hold.c), and what makes one begin. *)

val beside : (unit -> unit) -> unit
(** Runs it beside a domain that holds up the first cycle that marks, till
    {!release}, or the world is to stop; and only looks up otherwise. *)

val is_held : unit -> bool
val release : unit -> unit

val publish_until : ?slots:int -> length:int -> (unit -> bool) -> unit
(** Shares lists of that length, and drops each when [slots] (64) others have
    come. *)
