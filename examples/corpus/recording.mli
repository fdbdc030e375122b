(** The time of the workers during a job: which domain computed for which phase,
    and when. *)

type t

val create : Progress.t -> t
(** Phases are those of the progress. *)

val loops : t -> Loops.t -> Loops.t
(** The same loops. Each piece is recorded, without the loops inside. *)

val during : t -> (unit -> 'a) -> 'a
(** [during t job] records what the job's own thread does between its loops. *)

type span = { domain : int; phase : string; start : float; stop : float }
(** A time in which a domain computed, in seconds. The spans of a domain do not
    overlap. *)

val spans : t -> span list
(** In order of their beginnings. After {!during}. *)

val page :
  t -> title:string -> workers:int -> facts:(string * string) list -> string
(** The drawing ([Dromos_trace.Timeline]), for any browser: a lane for each
    domain that took part, in the order of their first pieces, and the share of
    the time in which [workers] were at work. After {!during}. *)
