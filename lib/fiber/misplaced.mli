(** Calls made where they cannot work. Internal. *)

exception Misplaced of string

val no_fiber : string -> 'a
(** [no_fiber what] raises: [what] needs a run. *)

val no_switch : string -> 'a
(** [no_switch what] raises: [what] has to suspend the fiber, which is below a C
    frame. *)

val check_switch : string -> unit
(** {!no_switch} if that is so. By a fiber; some ten nanoseconds. *)

val other_run : string -> string -> 'a
(** [other_run call what] raises [Invalid_argument]. *)

val check_same_run : string -> Fiber.run -> (unit -> string) -> unit
(** {!other_run} if the caller is a fiber, and of another run than that. *)

val fiber : string -> Fiber.t
(** The running fiber, which [what] needs; raises as {!no_fiber} if there is
    none. *)

val check_run : unit -> unit
(** Raises if the caller is inside another scheduler whose loop a run would
    block ({!Foreign.around}); costs nothing on a fork's path. *)
