(** A fiber's chain of fork frames. Owner of the chain ([frames], [top]);
    {!Latent} owns the cells of the frames. Internal.

    Invariant: the chain has the frames of the forks (and borders) that the
    fiber is inside of, newest first. A frame that was taken off never comes
    back. The fiber links and unlinks; no poll point lies between the reads and
    the store of an operation, so a publisher thread sees a whole chain. *)

open Types

val is_nil : frame -> bool
(** The end of the chain. *)

val push : fiber -> ('code, 'own, 'b) cell -> 'code -> ('code, 'own, 'b) fork
(** Links a new frame on top. *)

val pop : fiber -> ('code, 'own, 'b) fork -> unit
(** Takes the frame off, with all frames above. Does nothing if the frame was
    taken off before: a continuation that the program itself captures inside a
    branch can end the fork later than the forks around it, or earlier than the
    forks inside. O(1) for the newest frame, otherwise the length of the chain.
*)

val back_to : fiber -> frame -> unit
(** Sets the chain back to a frame that was its newest before, or links a border
    on top: for {!Surroundings}, whose stores must not be separated. *)

(** {1 Heaps of tasks} *)

val enter_heap : fiber -> unit
(** Has the domain allocate in the fiber's heap from now on, or in the domain's
    own heap if the fiber has none. Called by a thread of the domain that runs
    the fiber. On the first entry the fiber's chain moves to the record of the
    fiber's heap. Does nothing on stock OCaml. *)

val drop_all : fiber -> unit
(** The fiber has ended, and has no frames from now on. *)

val ended : fiber -> bool
(** [true] after {!drop_all}. *)
