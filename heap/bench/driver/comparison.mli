(** The measurements: times first, then observed runs. *)

open Bench_driver

type asked = {
  contestants : Contestants.t list;
  programs : Heap_suite.Program.t list;
  size : Heap_suite.Program.t -> int;
  workers : int list;
  runs : int;  (** processes; each process runs the program a few times *)
  observe : bool;
  limit : float;
  max_rss_mib : int;
}

val run :
  asked ->
  progress:(done_:int -> of_:int -> string -> unit) ->
  report:(Row.t list -> unit) ->
  Row.t list
(** Returns a row for each program, contestant and number of workers, with the
    figures of {!Observe} if [observe] is set. Calls [report] with the rows of
    each program. *)
