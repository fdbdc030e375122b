(** A machine's cores, and the groups and domains over them.

    Sets of cores, groups and domains are bits of an int, so that there are at
    most 62 of each. Domains are numbered from the smallest to the largest, so
    that counting bits upwards meets smaller domains first. *)

type t = private { cores : int; groups : group array; domains : domain array }
and group = { group_cores : int; group_domain : int  (** it belongs to *) }
and domain = { domain_cores : int; domain_groups : int }

val most : int
(** Cores of the largest machine, 62. *)

val flat : int -> t
(** One domain, each core a group.
    @raise Invalid_argument if there are not between 1 and {!most} cores. *)

val tree : cores:int -> int -> t
(** [tree ~cores k]: leaf domains of [k] neighbours, each core a group, and a
    domain over all whose groups are these. Flat if [k >= cores]. *)

val make : cores:int -> int list list -> t
(** [make ~cores domains]: each domain is the list of its groups, as sets of
    cores. Domains are sorted by size here. *)

val full : t -> int
(** All cores. *)

val domain_of : t -> int -> int
(** The smallest domain of a core, or -1. *)

val group_of : t -> int -> int
(** Its smallest group, or -1. *)

val size : int -> int
(** Members of a set. *)

val lowest : int -> int
(** The first member of a set that is not empty. *)

val elements : int -> int list
