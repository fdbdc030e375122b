(** The contestants: the two runtimes, OCaml's own runtime with larger minor
    heaps, and the peers in further languages. *)

type t = {
  scheduler : Bench_driver.Scheduler.t;  (** the plain measurement *)
  observed : Bench_driver.Scheduler.t option;
      (** the observed measurement: see {!Observe} *)
}

val elision : string
(** The name of the sequential elision on OCaml's own runtime. Times of the
    contestants are compared with its time. *)

val stock : string
(** The name of OCaml's own runtime at its defaults. *)

val variant : string

type asked = {
  programs : string;
      (** the folder of the built programs: [stock/measure.exe],
          [variant/measure.exe], [observe.exe] *)
  prefix : string list;
      (** the start of every command, for example [taskset -c 0] *)
  repeats : int;  (** runs in a process *)
  limit : float;  (** seconds for an observed run *)
  peers : string option;  (** the folder with the peers' sources *)
}

val all : asked -> t list * string list
(** The available contestants, and a line of text for each missing runtime or
    peer. The call builds the peers. *)
