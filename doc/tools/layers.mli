(** Drawing a graph without cycles: every node stands on a floor above all that
    it uses, and the floors are drawn as SVG.

    An arrow that others imply (a uses b, b uses c, a uses c) is left out.

    Floors by longest path; nodes of a floor ordered by the mean place of what
    they use and of what uses them (the barycentre heuristic of Sugiyama, Tagawa
    and Toda, 1981). *)

type node = {
  name : string;
  note : string;  (** a second, smaller line; may be empty *)
  uses : string list;  (** names of nodes; others are left out *)
}

val svg : title:string -> node list -> string
(** Raises [Failure], naming a node, if there is a cycle. *)
