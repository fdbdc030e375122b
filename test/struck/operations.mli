(** The operations of the public interface, for tests that end an operation by
    an exception at any point. *)

type count = {
  mutable fine : int;  (** calls that returned *)
  mutable over : int;  (** calls that raised *)
}

val all : (string * (unit -> (unit -> unit) * (count -> unit))) list
(** Each operation's name, and a function that makes the structure in a run, and
    returns the operation and a check: the structure works as before, and has
    what so many calls have done to it. *)
