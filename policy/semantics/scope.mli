(** The scope: the compiler's knowledge at one point of a handler, for
    expressions and statements. *)

open Core

(** Faults put into the skeleton by tests, to see that a suite finds them. *)
type fault =
  | Skip_core  (** the filter never looks at the last core *)
  | Forget_unblocked  (** U does not follow a stolen thread *)
  | Early_release
      (** the destination's lock is released before threads enter *)
  | Lower_late  (** the source's words are lowered after its lock is released *)
  | Lose_thread  (** only the first stolen thread arrives *)

(** When stealing holds the lock of the source. [Throughout]: while it goes
    through the ready threads. [Each_move]: while it reads the list of ready
    threads, and then for each move. With [Each_move] words of the source are
    observed as those of any core, and a thread may be gone when it is to be
    moved. *)
type source_lock = Throughout | Each_move

type taking = { source : int; destination : int; chain : int }
(** The registers of the stealing whose phase 3 is being compiled. *)

type t = {
  layout : Layout.t;
  fragments : Fragments.t;
  asm : Assembler.t;
  policy : policy;
  fault : fault option;
  source_lock : source_lock;
  event : event;
  holds : bool;  (** the handler holds the lock of its core *)
  counts_seen : bool;
      (** the policy looks at counts of single states; if not, a change of these
          counts alone is no step *)
  locals : (int, int) Hashtbl.t;  (** the register of each local *)
  owner : int option;  (** the register of [Target]; [None]: the scratch word *)
  filtered : Code.expression option;
  taking : taking option;
  stealing_for : int option;
      (** the register of the core for which the handler steals *)
  result : int option;  (** the register of the function's result *)
  leave : int ref;  (** the target of [Return] *)
  stop : int ref option;  (** the target of [Break] *)
  block : t -> block -> unit;  (** the compiler of statements *)
  passed : place option ref;
      (** the first operation whose result has passed 63 bits, in any run of the
          machine *)
}
