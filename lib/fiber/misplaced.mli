(** Errors for calls in places where the operation cannot work. Internal. *)

exception Misplaced of string

val no_fiber : string -> 'a
(** [no_fiber what] raises: [what] needs a run. *)

val no_switch : string -> 'a
(** [no_switch what] raises: [what] must suspend the fiber, which is below a C
    frame. *)

val check_switch : string -> unit
(** {!no_switch} if the fiber is below a C frame. Called by a fiber; some ten
    nanoseconds. *)

val other_run : string -> string -> 'a
(** [other_run call what] raises [Invalid_argument]. *)

val check_same_run : string -> Types.run -> (unit -> string) -> unit
(** {!other_run} if the caller is a fiber of a run other than the given run. *)

val fiber : string -> Fiber.t
(** The running fiber, which [what] needs; raises like {!no_fiber} if no fiber
    runs. *)

val check_run : unit -> unit
(** Raises if the caller is inside another scheduler whose loop a run would
    block ({!Foreign.around}); costs nothing on the path of a fork. *)
