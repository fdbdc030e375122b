(** Playing cells of the matrix: a structure between two parties. *)

type cell = { structure : Structures.t; a : Party.kind; b : Party.kind }

type verdict =
  | Passed
  | Wrong of { scenario : string; text : string }
  | Hung of { scenario : string; text : string }

type played = { cell : cell; verdict : verdict; seconds : float }

val name : cell -> string
(** "Channel,dromos-std,lwt", as [MATRIX_ONLY] takes it. *)

val pairs : Party.kind list -> (Party.kind * Party.kind) list
(** Unordered, with the pairs of a kind with itself. *)

val matrix : Structures.t list -> Party.kind list -> cell list
(** Pair by pair; without those of structures that can only be used in direct
    style with kinds that cannot. *)

val cell : seed:int -> scale:int -> before:(string -> unit) -> cell -> played
(** Plays its scenarios, each with a deadline of {!limit}; [before] is called
    before each, with its name. Parties are kept from the cell before, where
    they are the same, and the others stopped. Ends with the first scenario that
    is wrong or hangs; the parties are then left to themselves, and the next
    cell starts new ones. *)

val finish : unit -> unit
(** Stops the parties of the last cell. *)

val limit : float
(** The seconds that a scenario may take: [MATRIX_LIMIT], or 40. *)

val repeat : seed:int -> cell -> string
(** The command that plays the cell again. *)

val describe : seed:int -> played -> string
(** What happened, in a line, and how to repeat it. *)
