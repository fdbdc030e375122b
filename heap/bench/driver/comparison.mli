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

val measure :
  asked ->
  ?cutoff_is:string ->
  name:string ->
  about:string ->
  Suite.size ->
  runs:int ->
  Scheduler.t list ->
  progress:Runner.progress ->
  Row.t list
(** Measures one benchmark at one size, by [asked]'s workers and limits. *)

val run :
  asked -> progress:Runner.progress -> report:(Row.t list -> unit) -> Row.t list
(** Returns a row for each program, contestant and number of workers, with the
    figures of {!Observe} if [observe] is set. Calls [report] with the rows of
    each program. *)
