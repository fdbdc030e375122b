(** What the lab knows of a scheduler: a name, and how to start it. *)

type job = n:int -> cutoff:int -> unit -> unit -> int
(** A benchmark, on a started scheduler. [job ~n ~cutoff] makes the input and is
    not timed; applying the result to [()] runs the benchmark and is timed; what
    that returns computes a checksum of the outcome, untimed again. *)

type probe = n:int -> (string * float) list
(** A measurement that is not a time to completion: named figures. *)

type session = {
  jobs : (string * job) list;
  probes : (string * probe) list;
  stop : unit -> unit;  (** ends the scheduler's domains *)
}

type t = {
  name : string;  (** the name in rows *)
  about : string;  (** one line: what stands for a fork, a loop, a task *)
  parallel : bool;  (** [false]: only one worker makes sense *)
  start : workers:int -> session;
      (** [workers] counts every domain that runs tasks, the caller's too if it
          does. *)
}
