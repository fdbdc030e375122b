(** The cores of a machine, and the groups and domains over them.

    Sets of cores and groups are lists here, in rising order; a machine makes
    words of them ({!Layout.t}). Domains are numbered from the smallest to the
    largest, so that a count upwards meets smaller domains first. *)

type t = private { cores : int; groups : group array; domains : domain array }
and group = { group_cores : int list; group_domain : int  (** its domain *) }
and domain = { domain_cores : int list; domain_groups : int list }

val most : int
(** The number of cores of the largest machine, 1024. A machine has at most
    twice as many groups. *)

val flat : int -> t
(** A single domain, in which each core is a group. Raises [Invalid_argument]
    unless the number of cores is between 1 and {!most}. *)

val tree : cores:int -> int -> t
(** [tree ~cores k]: leaf domains of [k] neighbours, in which each core is a
    group, and a domain over all cores whose groups are the leaf domains. Flat
    if [k >= cores]. *)

val make : cores:int -> int list list list -> t
(** [make ~cores domains]: each domain is the list of its groups, each group the
    list of its cores. The function sorts domains by size. Raises
    [Invalid_argument] if a group has no core, or a core that does not exist; if
    there are more than {!most} cores; or if there are more than twice as many
    groups as {!most}. *)

val all : t -> int list
(** All cores. *)
