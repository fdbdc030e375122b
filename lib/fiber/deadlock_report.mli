(** The text of a deadlock's report. Internal; for {!Deadlock}. *)

(** The reason why nothing moves. *)
type finding =
  | Hopeless  (** no value in use leads to the fibers ({!Unreachable}) *)
  | Until_limit of float
      (** only time limits lead to the fibers; seconds to the next limit *)
  | Doubtful of { weakly : bool }
      (** Some value leads to the fibers ([weakly]: only weak pointers or
          finalisers do), but no source of a wake-up is known. *)
  | Asked_for  (** [DROMOS_DEADLOCK=raise]: the collector was not asked *)

val text :
  Types.run ->
  waiting:Fiber.t list ->
  gone:int ->
  calm:bool ->
  quiet:float ->
  finding ->
  string
(** [calm]: nothing is pending in the whole process. [quiet]: the number of
    seconds for which the run has been quiet. *)

val pending_failures : Fiber.t list -> Suppressed.failure list
(** The failures of the scopes in which the fibers wait. *)
