(** What is said of a deadlock. Internal; for {!Deadlock}. *)

(** Why nothing moves. *)
type finding =
  | Hopeless  (** nothing in use leads to the fibers ({!Unreachable}) *)
  | Until_limit of float  (** nothing but time limits; seconds to the next *)
  | Doubtful of { weakly : bool }
      (** something leads to them ([weakly]: only weak pointers or finalisers);
          nobody is known to use it *)
  | Asked_for  (** [DROMOS_DEADLOCK=raise]: not looked into *)

val text :
  Fiber.run ->
  waiting:Fiber.t list ->
  gone:int ->
  calm:bool ->
  quiet:float ->
  finding ->
  string
(** [calm]: nothing is pending in the whole process; [quiet]: for how many
    seconds the run has been so. *)

val pending_failures : Fiber.t list -> Suppressed.failure list
(** Those of the scopes in which the fibers wait. *)
