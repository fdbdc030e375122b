(** What the system says of cores, groups, domains and the machine: its
    attributes that can decide where threads go, and values that they may have.

    The values of one machine stay as they are for a run: one of the behaviours
    that [system] allows. *)

type t = (Core.attribute * int * int) list
(** Attribute, whose (a core, a group, a domain; 0 for the machine), value. What
    is not in the list has its first value. *)

val all : Core.policy -> Relevant.t -> Topology.t -> t list
(** First the empty one. One attribute of one owner differs from the rest, or,
    where they are few, several: linear in the owners, at most some dozens. *)

val attributes : Core.policy -> Relevant.t -> Topology.t -> Core.attribute list
val set : Machine.t -> Machine.state -> t -> unit

val said : Machine.t -> Machine.state -> string list
(** What differs from a machine of which nothing is said: "core 1 has capacity
    2". *)

val earlier : Machine.t -> Machine.state -> string list
(** The same of the attributes that handlers set: what runs before this one have
    left there, "t2 has slice 1". Not the cores on which threads were. *)

val shape : Topology.t -> string list
(** For each domain its groups, "domain 1: cores 0, 1 | 2, 3"; of groups of one
    core "domain 0: cores 0, 1, each alone". *)
