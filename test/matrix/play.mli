(** Plays cells of the matrix: a structure between two parties. *)

type cell = { structure : Structures.t; a : Party.kind; b : Party.kind }

type verdict =
  | Passed
  | Wrong of { scenario : string; text : string }
  | Hung of { scenario : string; text : string }

type played = { cell : cell; verdict : verdict; seconds : float }

val name : cell -> string
(** "Channel,dromos-std,lwt", the form of [MATRIX_ONLY]. *)

val pairs : Party.kind list -> (Party.kind * Party.kind) list
(** Unordered pairs, including each kind with itself. *)

val matrix : Structures.t list -> Party.kind list -> cell list
(** The cells, pair by pair, without the cells of a direct-style structure and a
    kind without direct style. *)

val cell : seed:int -> scale:int -> before:(string -> unit) -> cell -> played
(** Plays the cell's scenarios, each with a deadline of {!limit}; calls [before]
    with the name of each scenario. Equal parties are kept from the cell before;
    the other parties are stopped. Ends with the first scenario that is wrong or
    hangs; then the parties are abandoned, and the next cell starts new ones. *)

val finish : unit -> unit
(** Stops the parties of the last cell. *)

val limit : float
(** The seconds for a scenario: [MATRIX_LIMIT], or 40. *)

val repeat : seed:int -> cell -> string
(** The command that plays the cell again. *)

val describe : seed:int -> played -> string
(** The outcome in a line, and the command to repeat it. *)
