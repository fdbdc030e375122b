(** Checks moves of the thread of an event, or of the thread offered to
    [steal_thread]: how often the thread is moved, to which states, and of which
    core.

    For {!Moves}. Faults are reported, none is raised. *)

open Dromos_policy_core
open Dromos_policy_syntax

(** {1 Faults} *)

type found
(** The faults found, each once: many paths find the same fault. *)

val nothing_found : unit -> found
val report : found -> Fault.t -> unit

val faults : found -> Fault.t list
(** The faults, in the order of their discovery. *)

(** {1 Rules} *)

type destination =
  | Anywhere
  | Own_core  (** the core of the handler *)
  | Stealing_for  (** the core for which threads are stolen *)

type rule = {
  who : string;  (** the handler, for messages *)
  target : string;  (** the name of the thread *)
  into : Core.state_class list;
  where : destination;
  must : bool;  (** the thread must be moved; if false, the thread may stay *)
}

val ready : Core.state_class list
(** [Ready] alone. *)

val rule : Core.event -> rule option
(** The rule of an event with a thread. *)

(** {1 On a path} *)

val target_moved :
  found ->
  rule ->
  Knowledge.t ->
  Core.place ->
  Knowledge.value ->
  Core.state ->
  Knowledge.t list
(** Judges a move of the thread itself to the state of the core. *)

val judge_target :
  found ->
  Core.policy ->
  rule ->
  Knowledge.t ->
  Core.statement ->
  Knowledge.value ->
  Knowledge.value ->
  Core.state ->
  Knowledge.t list
(** Judges a move in a handler that may move the event's thread only: [judge] of
    {!Knowledge.rules}. *)

val nowhere : rule -> Core.place -> Core.place option -> Fault.t
(** The fault of a path that moves the thread to no state. *)

val rules :
  found ->
  (Knowledge.t ->
  Core.statement ->
  Knowledge.value ->
  Knowledge.value ->
  Core.state ->
  Knowledge.t list) ->
  Knowledge.rules
(** The rules to run paths by, without a destination and without an offered
    thread. *)
