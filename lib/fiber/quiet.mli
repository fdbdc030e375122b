(** The notes of {!Deadlock} about a run: since when the run has been quiet, and
    what was asked and reported since. Internal. The thread that looks writes
    the notes; other threads may read them, and may see old values. *)

type t

type stage =
  | Watching
  | Settled  (** no more looks *)
  | Failed of exn  (** the run was cancelled with this exception *)
  | Abandoned of exn
      (** the cancelled fibers did not end: the run ends without them *)

val create : stage -> t

val note :
  t -> tasks:int -> all:int -> resting:bool -> calm:(unit -> bool) -> unit
(** A look. [tasks]: the number of tasks that the run has executed; [all]: the
    sum over all runs; [resting]: no worker runs a fiber; [calm ()]: nothing
    moves or is pending in the rest of the process. A run that moved is asked
    about again. *)

val looks : t -> int
(** The number of looks since the run moved. *)

val calm_looks : t -> int
(** The number of looks since any run moved, or anything was pending in the
    process. *)

val has_moved : t -> tasks:int -> bool
(** The run has executed tasks since the last look. *)

val restart : t -> unit
(** The run was cancelled, and counts as moved. *)

(** {1 Questions to the collector} *)

val asked : t -> unit
(** Doubles the number of looks before the next question. *)

val in_vain : t -> calm:bool -> unit
(** The collector found that the fibers can still be woken. [calm]: the process
    was calm at the question. *)

val is_due : t -> calm:bool -> alone:(unit -> bool) -> bool
(** [true]: ask the collector now.

    {v
      no question yet   when the run has been quiet for the number of looks
                        that [asked] doubles
      in vain before    when the run has been quiet for twice as long as at the
                        last question, and the process is calm or another run
                        has moved since;
                        also in a calm process that is [alone] (no thread or
                        handler of the program's own): at once if the process
                        was not calm at the last question, else at every 16th
                        look
    v} *)

(** {1 Reports} *)

val reported : t -> (int * int) list
(** The waits that were reported last: the fiber's number, and the tick at the
    start. *)

val report : t -> (int * int) list -> unit
val stage : t -> stage
val set_stage : t -> stage -> unit
