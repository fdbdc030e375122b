(** The system's attributes of cores, groups, domains and the machine that can
    decide where threads go, with some possible values.

    During a run the values of one machine do not change. The semantics allows
    any values; a search tries a few. *)

type t = (Core.attribute * int * int) list
(** Triples: the attribute, the number of the core, group or domain (0 for the
    machine), and the value. An attribute that is not in the list has its
    initial value. *)

val all : Core.policy -> Relevant.t -> Topology.t -> t list
(** All tried values; the first entry is the empty list. In each further entry
    one attribute of one owner differs from its initial value, or several
    attributes where the combinations are few. Linear in the owners; some dozens
    at most. *)

val attributes : Core.policy -> Relevant.t -> Topology.t -> Core.attribute list
val set : Machine.t -> Machine.state -> t -> unit

val said : Machine.t -> Machine.state -> string list
(** The differences from a machine with initial values, as text: "core 1 has
    capacity 2". *)

val earlier : Machine.t -> Machine.state -> string list
(** The same for attributes set by handlers, "t2 has slice 1": the values left
    by earlier handlers. Leaves out the attributes of threads that name cores.
*)

val shape : Topology.t -> string list
(** The groups of each domain, "domain 1: cores 0, 1 | 2, 3"; for groups of one
    core "domain 0: cores 0, 1, each alone". *)
