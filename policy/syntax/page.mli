(** The page that a policy is printed on: lines at their depth, comments put
    back by their places, one empty line where the source had some. *)

open Ast

type page = {
  out : Buffer.t;
  mutable pending : comment list;  (** not printed yet *)
  mutable indent : int;
  mutable last_line : int;  (** of the source, of what was printed last *)
  mutable opening : bool;  (** nothing stands in this block yet *)
}

val start_of : place -> int * int
val end_of : place -> int * int
val raw : page -> string -> unit
val line : page -> string -> unit

val wrapped : page -> (Format.formatter -> unit) -> unit
(** A line, broken if it is long. *)

val gap : page -> int -> unit
(** An empty line, if the source had one before this line of it. *)

val flush : page -> int * int -> as_if_on:int -> unit
(** The comments that begin before this line and column, on their own lines. *)

val trailing : page -> unit
(** The comments behind what was printed, on its last line. *)

val item : page -> place -> head:int * int -> (unit -> unit) -> unit
(** Something with its comments around it; those that begin before [head] come
    before it. *)

val leaf : page -> place -> (Format.formatter -> unit) -> unit
(** Something with nothing of its own inside. *)

val indented : page -> closes:place -> (unit -> unit) -> unit
(** What stands between braces, with the comments before the last one. *)

val holds_comment : page -> place -> bool
