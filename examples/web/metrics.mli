(** A server's counts of its requests, in Prometheus' text form. On one thread.
*)

type t

val create : unit -> t

val request : t -> route:string -> status:int -> seconds:float -> unit
(** Counts an answered request. *)

val begins : t -> unit
(** Counts an arriving request. *)

val under_way : t -> int
(** The number of requests that have arrived and have no answer yet. *)

(** A metric without labels. *)
type line =
  | Counter of string * string * float  (** name, description, value *)
  | Gauge of string * string * float

val print : t -> line list -> string
(** The text: requests by route and status, a histogram of their times by route,
    the requests under way, the collector's figures, and the given lines. *)
