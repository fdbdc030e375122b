(** Runs a program and reads its runtime events from outside. *)

type seen = {
  output : string;  (** the program's stdout *)
  said : string;  (** the program's stderr *)
  stops : Stops.summary;
  lost : int;  (** events overwritten before the driver read them *)
}

val run : limit:float -> string list -> (seen, string) result
(** Runs the program with runtime events on, and kills the program after [limit]
    seconds. An error is one line of text. *)
