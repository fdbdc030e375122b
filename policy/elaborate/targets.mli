(** Moves of the thread of an event, or of the thread that [steal_thread] is
    offered: how often the thread is moved, to which states, and of which core.

    For {!Moves}. Faults are reported, none is raised. *)

open Dromos_policy_core
open Dromos_policy_syntax

(** {1 Faults} *)

type found
(** What is found so far: the same fault is found on many paths. *)

val nothing_found : unit -> found
val report : found -> Fault.t -> unit

val faults : found -> Fault.t list
(** In the order in which they were found. *)

(** {1 Rules} *)

type destination =
  | Anywhere
  | Own_core  (** the core of the handler *)
  | Stealing_for  (** the core for which threads are stolen *)

type rule = {
  who : string;  (** the handler, for messages *)
  target : string;  (** how the thread is called *)
  into : Core.state_class list;
  where : destination;
  must : bool;  (** else the thread may stay *)
}

val ready : Core.state_class list
(** [Ready] alone. *)

val rule : Core.event -> rule option
(** Of events that are about a thread. *)

(** {1 On a path} *)

val target_moved :
  found ->
  rule ->
  Paths.known ->
  Core.place ->
  Paths.value ->
  Core.state ->
  Paths.known list
(** The thread itself is moved to the state of that core. *)

val judge_target :
  found ->
  Core.policy ->
  rule ->
  Paths.known ->
  Core.statement ->
  Paths.value ->
  Paths.value ->
  Core.state ->
  Paths.known list
(** A move in a handler that moves no other thread: [judge] of {!Paths.rules}.
*)

val nowhere : rule -> Core.place -> Core.place option -> Fault.t
(** A path that ends there moves the thread to no state. *)

val rules :
  found ->
  (Paths.known ->
  Core.statement ->
  Paths.value ->
  Paths.value ->
  Core.state ->
  Paths.known list) ->
  Paths.rules
(** To run paths by: no destination, and no thread that is offered. *)
