(** Runs HeapLang programs, with threads interleaved at random.

    A program is the set of definitions in Coq files: the prelude's and the
    translator's. Threads take turns at accesses to the heap. An access is
    atomic, as in HeapLang. A stuck thread ends the run. [nondet_below] chooses
    by the random state. Prophecies are created and resolved without effect.

    Integers have 63 bits, and HeapLang's are unbounded: a larger result of an
    operator is reported as stuck. *)

exception Stuck of string
(** The definition that got stuck and the reason, or the definition alone if its
    code evaluates [stuck]. A race is reported as ["na_load"] or ["na_store"],
    an index out of bounds as ["array_get"] or ["array_set"]. *)

type program

val load : string list -> program
(** Reads the definitions of Coq files. Raises [Parser.Error] at a definition
    that the parser does not understand. *)

val find : program -> string -> Dromos_translate.Heaplang.definition option

val extend : program -> Dromos_translate.Heaplang.definition list -> program
(** A copy of the program with these definitions added. A definition replaces an
    older definition of the same name. *)

type t
(** A heap and a source of random numbers. *)

val create : ?seed:int -> program -> t

val call : t -> string -> Value.t list -> Value.t
(** Calls a definition. In a thread of {!run}, the call takes turns with the
    other threads; outside {!run}, the call runs alone. Raises {!Stuck}. *)

val apply : t -> Value.t -> Value.t list -> Value.t

type outcome = Finished | Got_stuck of string | Out_of_steps

val run : ?steps:int -> t -> (unit -> unit) list -> outcome
(** Runs the given threads and the threads that they fork, until all threads
    have ended, a thread is stuck, or the threads have made more than [steps]
    accesses to the heap. *)
