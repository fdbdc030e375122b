(** The options that every suite has, and the steps that all suites share. *)

open Bench_driver

type t = {
  only : string list;  (** benchmarks; all if empty *)
  contestants : string list;  (** all if empty *)
  workers : int list option;
  runs : int option;
  quick : bool;
  limit : float option;  (** seconds *)
  max_rss_mib : int option;
  all_peers : bool;
  json : string option;  (** the file for the rows *)
  from : string option;  (** a file with rows *)
  plots : string option;  (** the directory for drawings *)
}

val named :
  ?notes:string list ->
  what:string ->
  known:string list ->
  (string -> 'a option) ->
  string ->
  'a
(** [named ~what ~known find name] is what [find] returns. Raises [Failure],
    with the [known] names and the lines [notes], if [find] returns [None]. *)

val rows :
  t ->
  of_other:(string -> bool) ->
  suite:string ->
  (unit -> string list * (Runner.progress -> Row.t list)) ->
  Row.t list
(** [rows o ~of_other ~suite prepare] is the rows of the file [from]. A row
    whose benchmark is [of_other] belongs to another suite than [suite], and the
    file is refused. Without [from], [rows] prints the lines that [prepare ()]
    returns, one for each missing contestant, and calls the measurement that
    [prepare ()] returns with a function that shows the progress on the
    terminal. An unwritable [json] or [plots] is reported before the
    measurement. Raises [Failure] or [Sys_error]. *)

val wrote : string list -> unit
(** Prints the names of written files. *)
