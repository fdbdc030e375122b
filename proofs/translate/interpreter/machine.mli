(** Runs HeapLang, by threads that are interleaved at random.

    A program is the definitions of Coq files: the prelude's and those that the
    translator has generated. Threads take turns at accesses to the heap, which
    are atomic, as in HeapLang; a thread that is stuck ends the run. Choice
    ([nondet_below]) is made by the random state; prophecies are created and
    resolved without effect.

    Integers have 63 bits instead of being unbounded: what exceeds them is
    reported as stuck. *)

exception Stuck of string
(** The definition that got stuck, and why. A race is ["na_load"] or
    ["na_store"]; an index out of bounds ["array_get"] or ["array_set"]. *)

type program

val load : string list -> program
(** Reads Coq files. Raises [Parser.Error] if one is not understood. *)

val find : program -> string -> Dromos_translate.Heaplang.definition option

val extend : program -> Dromos_translate.Heaplang.definition list -> program
(** With these definitions added or in place of others. *)

type t
(** A heap and a source of random numbers. *)

val create : ?seed:int -> program -> t

val call : t -> string -> Value.t list -> Value.t
(** Calls a definition: from a thread of {!run}, or else alone. Raises {!Stuck}.
*)

val apply : t -> Value.t -> Value.t list -> Value.t

type outcome = Finished | Got_stuck of string | Out_of_steps

val run : ?steps:int -> t -> (unit -> unit) list -> outcome
(** Runs these threads, and those that they fork, until all are over or one is
    stuck. *)
