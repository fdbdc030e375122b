(** Ways to hold a cycle back (hold.c), and to start a cycle. *)

val beside : (unit -> unit) -> unit
(** Runs the function beside a domain that holds the first marking cycle back
    until {!release} or until the world has to stop. Otherwise the domain only
    polls. *)

val is_held : unit -> bool
val release : unit -> unit

val publish_until : ?slots:int -> length:int -> (unit -> bool) -> unit
(** Publishes lists of the given length until the function returns [true]; drops
    each list after [slots] (64) further lists. *)
