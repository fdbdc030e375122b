(** One core, or a few, on which whole handlers follow each other. {!Starvation}
    searches this machine.

    On one core, threads come, sleep and end as often as they like, and a new
    thread of the same kind replaces a thread that has ended. On several cores
    all threads come at the beginning, in a row, and then compute: threads only
    tick, yield, are chosen and are stolen.

    The machine of the semantics can make every run of whole handlers, so a
    violation found here is real. The system's attributes of threads, of the
    cores and of the machine keep their values during a run. *)

type t = private {
  instance : Instance.t;
  roots : Surroundings.t list;
      (** the values of the system's attributes, except attributes of threads *)
  ranges : (Core.attribute * int list) list;
      (** the values of the system's attributes of threads *)
  kept : int array;  (** the words of a state that matter to waits *)
}

val make : Core.policy -> Bounds.t -> t
(** Uses only the numbers of cores and threads of [bounds]. *)

val starts : t -> (Machine.state -> unit) -> unit
(** One core that is asleep, and threads that have not come yet; or some cores
    with all threads; for each choice of the system's values. [starts] owns the
    state. *)

val moves : t -> Machine.state -> (Instance.move -> unit) -> unit
(** The handlers that can come next: [schedule] alone if a core runs nothing and
    a thread is ready there. *)

val apply : t -> Machine.state -> Instance.move -> unit
(** Runs a whole handler, in place. A core that then has nothing to run
    schedules, becomes newly idle, and falls asleep. *)

val describe : t -> Machine.state -> Instance.move -> Machine.state -> string
(** [describe t before move after]: one line. *)

val queued : t -> Machine.state -> int -> bool
(** True if the thread is ready. *)

val waits : t -> Machine.state -> int -> bool
(** True if the thread is ready and not exempt by [exempt waiting]. *)

(** {1 The parts of a cycle} *)

type part = Scheduled of int | Ticked of int | Balanced

val parts : t -> part list
(** The parts that every cycle needs, as time goes on: [schedule] on each core,
    and the periodic events handled by the policy. *)

val part_of : t -> Machine.state -> Instance.move -> part list
(** The parts of a move from this state. A [schedule] that runs no thread is no
    part: conservation judges it. *)

val goes_round : t -> Instance.move list -> Machine.state -> bool
(** True if these moves, from this state, have all {!parts}. *)

(** {1 Keys} *)

val key : t -> Machine.state -> string
(** Two states have the same key if all words that matter to waits are equal. *)

val restore : t -> string -> Machine.state -> unit
(** Restores a state with the key; the remaining words have their initial
    values. *)
