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

(** {1 Placements}

    A benchmark so short that its time depends on where the linker put its code
    is compiled several times ([placements/place.ml]); each run is of one copy.
*)

val placements : int
(** How many copies. *)

val placed : string -> 'job list -> (string * 'job) list
(** [placed bench copies] are jobs for {!find}. Raises [Invalid_argument] if
    there are not as many as {!placements}. *)

val find : (string * 'job) list -> string -> placement:int -> 'job option
(** [find jobs bench ~placement]: that copy of the benchmark, the one that there
    is if it is not {!placed}. *)
