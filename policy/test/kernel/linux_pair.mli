(** A policy in the machine of the semantics, beside the C made from the policy
    for Linux. The C runs in a process of its own, with a kernel played by
    driver.c. Each event goes to the machine and to the process, and the whole
    state is compared afterwards. *)

open Dromos_policy_core

type t

val build : ?driver:string -> name:string -> Core.policy -> string
(** Compiles the C with the compiler of this machine, and returns the program's
    file. The file is removed when this process ends. [driver] plays the kernel
    ([driver.c]).

    @raise Failure if the compiler refuses the C. *)

val change : (string -> string) ref
(** Changes the C text before compilation, for tests of the test. *)

val start :
  topology:Dromos_policy_semantics.Topology.t ->
  threads:int ->
  Core.policy ->
  string ->
  t

val set_system : t -> (unit -> int) -> unit
(** Sets attributes of the system to drawn numbers. *)

val next : Random.State.t -> t -> string
(** Gives a possible event to the machine and the process, and returns its name.
*)

val difference : t -> string option
(** Describes a difference between machine and process. *)

val stop : t -> unit
