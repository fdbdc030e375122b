(** The rules of the concurrent collection. One left out is a fault. *)

type t =
  | Barriers_first
  | Settles
  | Exchanges
  | Greys_overwritten
  | Greys_stored
  | Lent_too
  | White_early
  | Black_late
  | Grey_if_lent
  | Marks_first
  | Scans_private
  | Scans_lent
  | Drops_dead
  | Takes_buffers
  | Checks_again
  | Flips
  | Awaits_end
  | Scans_waiting
  | Scans_entered
  | Scans_joined
  | Answers_first
  | Inherits
  | Gives_at_end

type rules = t list

val exchanges : rules
(** Two handshakes; a store is an exchange while a cycle is on. All are needed.
*)

val settles : rules
(** Three handshakes; a store reads, greys, and writes. All are needed. *)

val flips : rules
(** As the first; marks change their sense with each cycle, and are not cleared.
*)

val on : t -> rules -> bool
val without : t -> rules -> rules
val name : t -> string
