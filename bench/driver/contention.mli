(** Contention: throughput of one structure by the number of contending tasks,
    from the rows of {!Suite.contention}. *)

type line = {
  bench : string;
  scheduler : string;
  workers : int;
  throughput : (int * float) list;
      (** pairs of a number of tasks and the operations a second, by ascending
          number of tasks. On one worker by processor time, on more workers by
          the shortest wall time. *)
  to_one : float option;
      (** the least throughput divided by the throughput of one task; [None]
          without the latter *)
  to_two : float option;
      (** the least throughput of two tasks and more, divided by the throughput
          of two tasks: the price of a crowd once a task has to wait for others
      *)
  ended : (int * string) option;
      (** the least number of tasks that failed, and the reason *)
}

val least : float
(** A half: the limit for both ratios. *)

val lines : Row.t list -> line list
(** A line for each benchmark of contention, contestant and number of workers,
    in the order of the rows. Rows of other benchmarks are left out. *)

val print : Format.formatter -> line list -> unit
(** A table for each benchmark, in millions of operations a second, with a star
    beside ratios below {!least}. *)

val charts : line list -> (string * Chart.t) list
(** Log-log plots of throughput; the string is the name of a file. *)
