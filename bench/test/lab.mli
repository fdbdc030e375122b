(** What the tests of the lab share. *)

open Bench_driver

val close : float Alcotest.testable

(** {1 Contestants of shell} *)

val shell : string -> ?parallel:bool -> ?placed:bool -> string -> Scheduler.t
(** [shell name script] is a contestant that has every benchmark and measures by
    a line of shell, to which [$1] is the placement. Not parallel and not placed
    by default. *)

val says : ?checksum:int -> float -> string
(** A script that says that it took so many seconds. *)

val run :
  ?bench:string ->
  ?n:int ->
  ?limit:float ->
  ?runs:int ->
  Scheduler.t list ->
  Row.t list
(** The rows of one benchmark, on one and two workers. *)

val row : Row.t list -> string -> int -> Row.t
(** The row of a contestant and a number of workers. Raises [Not_found]. *)

(** {1 Times} *)

val series : ?count:int -> seed:int -> noise:float -> float -> float list
(** [series ~seed ~noise mean]: [count] times (16), each at most the fraction
    [noise] of [mean] away from it, the same ones in every call. *)

val scaled : float -> float list -> float list

(** {1 The program} *)

val main : string
(** [main.exe]. *)

val beside : string -> string
(** The path of one of the programs of measurements, by its name. *)

val call : string list -> string
(** What [main.exe] prints, given these arguments; the test fails if it does. *)

val contains : string -> string -> bool
(** [contains text part]. *)
