(** Helpers of the tests of the lab. *)

open Bench_driver

val close : float Alcotest.testable

(** {1 Contestants of shell} *)

val shell : string -> ?parallel:bool -> ?placed:bool -> string -> Scheduler.t
(** [shell name script] is a contestant with every benchmark, whose measurement
    is a line of shell with the placement as [$1]. Not parallel and not placed
    by default. *)

val says : ?checksum:int -> float -> string
(** [says seconds] is a script that prints a measurement of [seconds]. *)

val run :
  ?bench:string ->
  ?n:int ->
  ?limit:float ->
  ?runs:int ->
  Scheduler.t list ->
  Row.t list
(** Measures a benchmark on one and two workers. *)

val row : Row.t list -> string -> int -> Row.t
(** The row of a contestant and a number of workers. Raises [Not_found]. *)

(** {1 Times} *)

val series : ?count:int -> seed:int -> noise:float -> float -> float list
(** [series ~seed ~noise mean]: [count] times (16), each at most the fraction
    [noise] of [mean] away from [mean], the same times in every call. *)

val scaled : float -> float list -> float list

(** {1 The program} *)

val main : string
(** [main.exe]. *)

val beside : string -> string
(** The path of a program of measurements, by its name. *)

val call : string list -> string
(** [call arguments] is the output of [main.exe]; a failure of [main.exe] fails
    the test. *)

val contains : string -> string -> bool
(** [contains text part]: [part] occurs in [text]. *)
