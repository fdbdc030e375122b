(** A contestant as the runner sees it: a process that measures one benchmark.
*)

type t = {
  name : string;
  about : string;
  base : string;
      (** the plain program in the same language; the cost of a fork is the time
          above the plain program's time *)
  parallel : bool;  (** [false]: run with one worker only *)
  has : string -> bool;  (** the benchmarks of the contestant *)
  placed : bool;
      (** the contestant is in the programs of {!Placement}; otherwise
          [placement] has no effect *)
  command :
    bench:string ->
    placement:int ->
    workers:int ->
    cutoff:int ->
    n:int ->
    string list;
      (** The command prints one object in JSON: [seconds], [checksum], and
          maybe [cpu_s] and [max_rss_kib]; or [figures]; or [unsupported].
          [seconds] and [cpu_s] may be lists, of several runs in the process:
          the first run does not count. *)
}

val ours : t list
(** The contestants compiled into the program. *)

val load_seconds : float ref
(** The seconds of load on a server in each measurement; 4. *)
