(** What a server counts of its requests, in Prometheus' text form. On one
    thread. *)

type t

val create : unit -> t

val request : t -> route:string -> status:int -> seconds:float -> unit
(** One was answered. *)

val begins : t -> unit
(** One came. *)

val under_way : t -> int
(** Came, and were not answered. *)

(** A metric without labels. *)
type line =
  | Counter of string * string * float  (** name, what it is, value *)
  | Gauge of string * string * float

val print : t -> line list -> string
(** Requests by route and status, a histogram of their times by route, those
    under way, the collector's figures, and these lines. *)
