(** Contention: throughput of one structure by the number of contending tasks,
    from the rows of {!Suite.contention}. *)

type line = {
  bench : string;
  scheduler : string;
  workers : int;
  throughput : (int * float) list;
      (** tasks, operations a second; ascending. On one worker by processor
          time, on more by the shortest wall time. *)
  to_one : float option;
      (** the least throughput by the throughput of one task; [None] without the
          latter *)
  to_two : float option;
      (** the least throughput of two tasks and more, by the throughput of two:
          the price of a crowd once a task has another task to wait for *)
  ended : (int * string) option;  (** the least number that failed, and why *)
}

val least : float
(** A half: the limit for both ratios. *)

val lines : Row.t list -> line list
(** One for each benchmark of contention, contestant and number of workers, in
    the order of the rows. Rows of other benchmarks are left out. *)

val print : Format.formatter -> line list -> unit
(** A table for each benchmark, in millions of operations a second, with a star
    beside falls below {!least}. *)

val charts : line list -> (string * Chart.t) list
(** Log-log plots of throughput; the string is the name of a file. *)
