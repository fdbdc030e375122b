(** A machine's cores, and the groups and domains over them.

    Sets of cores and groups are lists here, from the lowest number on; a
    machine makes words of them ({!Layout.t}). Domains are numbered from the
    smallest to the largest, so that counting upwards meets smaller domains
    first. *)

type t = private { cores : int; groups : group array; domains : domain array }
and group = { group_cores : int list; group_domain : int  (** it belongs to *) }
and domain = { domain_cores : int list; domain_groups : int list }

val most : int
(** Cores of the largest machine, 1024; as many groups for each, at most. *)

val flat : int -> t
(** One domain, each core a group. Raises [Invalid_argument] if there are not
    between 1 and {!most} cores. *)

val tree : cores:int -> int -> t
(** [tree ~cores k]: leaf domains of [k] neighbours, each core a group, and a
    domain over all whose groups are these. Flat if [k >= cores]. *)

val make : cores:int -> int list list list -> t
(** [make ~cores domains]: each domain is the list of its groups, each group
    that of its cores. Domains are sorted by size here. Raises
    [Invalid_argument] if a group has no core or one that is not there, if there
    are more than {!most} cores, or more than twice as many groups. *)

val all : t -> int list
(** All cores. *)
