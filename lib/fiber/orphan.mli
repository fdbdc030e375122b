(** Failures that no fiber awaits, and the receivers of such failures. Types
    only; {!Unhandled} has the operations. Internal. *)

type receiver = {
  tell : what:string -> exn -> Printexc.raw_backtrace -> unit;
      (** Reports a failure; does not raise. [what] names the part of the
          program that failed, for the message. *)
  reads : bool;
      (** [tell] calls a function of the program's: told failures count as
          handled *)
}

type t = {
  awaited : unit -> bool;
  error : exn * Printexc.raw_backtrace;
  failed_at : int;  (** the time of the failure, by {!Ticks.clock} *)
  told : bool Atomic.t;
      (** [receiver] was told; the thread that tells sets the flag *)
  what : string;  (** the name of the part that failed, for the message *)
  receiver : receiver;
  its_fls : Hmap.t;  (** the task's storage *)
}
(** The failure of an [async] task. *)

type kept = {
  kept : t list;  (** newest first *)
  length : int;
  limit : int;  (** [length] at which the list is next pruned *)
}
(** The failures that a scope keeps. *)
