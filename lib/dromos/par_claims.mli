(** Claims on the pieces of a block: each piece goes to one run. Internal, used
    by {!Par} on lists.

    A run goes through consecutive pieces from left to right. A run that begins
    at a piece ({!begin_at}) splits the piece's block into single claims; a run
    that comes to a block from the left may take the block as a whole
    ({!pass_all}), with one compare-and-set, or piece by piece ({!pass}).

    Memory ordering: {!over} publishes the result, and what the run did before.

    {b Checked}: model-checked (test/par/model: a run from the left, and two
    that begin further right; each piece is claimed once), tested (test/par).
    Every operation is lock-free. *)

type 'r t
(** The claims of a block; ['r] is a run's result. *)

val create : unit -> 'r t

val begin_at : pieces:int -> 'r t -> int -> bool
(** [begin_at ~pieces t j] claims piece [j] of a block of [pieces] pieces for a
    run that begins there. *)

val pass_all : 'r t -> bool
(** Claims all pieces, if no run has begun or passed in the block. *)

val pass : pieces:int -> 'r t -> int -> bool
(** [pass ~pieces t j] claims piece [j] for a run that comes from the left. *)

val over : 'r t -> int -> 'r -> unit
(** The run that began at piece [j] has its result. One call for each
    {!begin_at} that was [true]. *)

type 'r found =
  | Nothing  (** no run began at the piece, or its result was appended *)
  | Begun  (** a run began at the piece and is not over *)
  | Over of 'r

val found : 'r t -> int -> 'r found

val appended : 'r t -> int -> unit
(** The result of the run that began at the piece, and is over, belongs to
    another run's result from now on. Called by the run that appends, the only
    one that has come to the piece from the left. *)

val results : 'r t -> 'r list -> 'r list
(** [results t rest] puts the block's results that were not appended in front of
    [rest]. Called after all runs. *)
