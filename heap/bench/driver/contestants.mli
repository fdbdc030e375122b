(** Who is compared: the two runtimes, stock with larger minor heaps, and the
    peers in other languages. *)

type t = {
  scheduler : Bench_driver.Scheduler.t;  (** how the lab measures it *)
  observed : Bench_driver.Scheduler.t option;
      (** the same, watched: see {!Observe} *)
}

val elision : string
(** The name of the sequential elision on stock, which is what the others' times
    are related to. *)

val stock : string
(** The name of stock at its defaults. *)

val variant : string

type asked = {
  prefix : string list;  (** of every command: [taskset -c 0] *)
  repeats : int;  (** runs in a process *)
  limit : float;  (** seconds for an observed run *)
  peers : string option;  (** the folder with the peers' sources *)
}

val all : asked -> t list * string list
(** Those that are there, and a line for each that is not. The programs are
    looked for in [stock/] and [variant/] beside this one; peers are built. *)
