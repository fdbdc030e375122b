(** A policy in the machine of the semantics, and the C that is made of it for
    Linux in a process of its own, where the kernel is played (driver.c): the
    same events to both, and the whole state is compared after each. *)

open Dromos_policy_core

type t

val build : ?driver:string -> name:string -> Core.policy -> string
(** The program, compiled by the C compiler of this machine, in a file that is
    removed when this process ends. [driver] plays the kernel ([driver.c]).
    Raises [Failure] if it is refused *)

val change : (string -> string) ref
(** Done to the C text before it is compiled: for tests of the test. *)

val start :
  topology:Dromos_policy_semantics.Topology.t ->
  threads:int ->
  Core.policy ->
  string ->
  t

val set_system : t -> (unit -> int) -> unit
(** Attributes of the system, by numbers that are drawn. *)

val next : Random.State.t -> t -> string
(** Some event that is possible now, to both; its name. *)

val difference : t -> string option
(** What the two do not agree about. *)

val stop : t -> unit
