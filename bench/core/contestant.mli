(** The lab's view of a scheduler: a name, and how to start the scheduler. *)

type job = n:int -> cutoff:int -> unit -> unit -> int
(** A benchmark, on a started scheduler. [job ~n ~cutoff] makes the input and is
    not timed. Applying the result to [()] runs the benchmark and is timed.
    Applying the second result computes a checksum of the outcome, untimed
    again. *)

type probe = n:int -> (string * float) list
(** A measurement other than a time to completion: named figures. *)

type session = {
  jobs : (string * job) list;
  probes : (string * probe) list;
  stop : unit -> unit;  (** ends the scheduler's domains *)
}

type t = {
  name : string;  (** the name in rows *)
  about : string;  (** one line: the scheduler's fork, loop and task *)
  parallel : bool;  (** [false]: only one worker makes sense *)
  start : workers:int -> session;
      (** [workers] counts every domain that runs tasks, including the caller's
          domain if the caller runs tasks. *)
}
