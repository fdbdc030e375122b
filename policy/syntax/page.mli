(** The page on which a policy is printed: lines at their depth, comments put
    back by their places, one empty line where the source had some. *)

open Ast

type page = {
  out : Buffer.t;
  mutable pending : comment list;  (** the comments that are not printed yet *)
  mutable indent : int;
  mutable last_line : int;  (** the source line of the last printed part *)
  mutable opening : bool;  (** true while the block is still empty *)
}

val start_of : place -> int * int
val end_of : place -> int * int
val raw : page -> string -> unit
val line : page -> string -> unit

val wrapped : page -> (Format.formatter -> unit) -> unit
(** A line, broken if it is long. *)

val gap : page -> int -> unit
(** An empty line, if the source had one before this source line. *)

val flush : page -> int * int -> as_if_on:int -> unit
(** Prints the comments that begin before this line and column, on lines of
    their own. *)

val trailing : page -> unit
(** Prints the comments that stand behind the last printed part, on the same
    line. *)

val item : page -> place -> head:int * int -> (unit -> unit) -> unit
(** Prints an item with its comments. Comments that begin before [head] come
    before the item. *)

val leaf : page -> place -> (Format.formatter -> unit) -> unit
(** Prints an item without items inside. *)

val indented : page -> closes:place -> (unit -> unit) -> unit
(** Prints the part between braces, with the comments before the closing brace.
*)

val holds_comment : page -> place -> bool
