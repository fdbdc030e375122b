(** A contestant as the runner sees it: something that can be started as a
    process to measure one benchmark. *)

type t = {
  name : string;
  about : string;
  base : string;
      (** the plain program in the same language: what a fork costs is the time
          above that one's *)
  parallel : bool;  (** [false]: run with one worker only *)
  has : string -> bool;  (** the benchmarks that it may have *)
  placed : bool;
      (** is in the programs of {!Placement}; otherwise [placement] means
          nothing to it *)
  command :
    bench:string ->
    placement:int ->
    workers:int ->
    cutoff:int ->
    n:int ->
    string list;
      (** Prints one object in JSON: [seconds], [checksum], and maybe [cpu_s]
          and [max_rss_kib]; or [figures]; or [unsupported]. [seconds] and
          [cpu_s] may be lists, of several runs in the process: the first one
          does not count. *)
}

val ours : t list
(** Those compiled into this program. *)

val load_seconds : float ref
(** How long load is offered to a server in each measurement; 4. *)
