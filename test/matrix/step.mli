(** Programs that every kind of task can run: direct code (fibers, threads) as
    well as Lwt. A scenario is written once, as such programs; a {!Party} knows
    how to run the programs. *)

open Dromos_sync

type 'a op = {
  event : unit -> 'a Event.t;
  direct : (unit -> 'a) option;
      (** the operation as a plain call, for tasks with direct style *)
}
(** A possibly waiting operation. *)

type _ t =
  | Return : 'a -> 'a t
  | Call : (unit -> 'a) -> 'a t  (** does not wait *)
  | Bind : 'b t * ('b -> 'a t) -> 'a t
  | Catch : 'a t -> ('a, exn) result t
  | Wait : 'a op -> 'a t
  | Plain : (unit -> 'a) -> 'a t  (** waits in direct style: not for Lwt *)
  | Yield : unit t

val return : 'a -> 'a t
val call : (unit -> 'a) -> 'a t
val wait : 'a op -> 'a t
val plain : (unit -> 'a) -> 'a t
val yield : unit t

val catch : 'a t -> ('a, exn) result t
(** For the exceptions of operations. If a cancelled task continues, it is
    cancelled again at its next step. *)

val ( let* ) : 'a t -> ('a -> 'b t) -> 'b t

val finally : (unit -> unit) -> 'a t -> 'a t
(** The function, which does not wait, is called in any case. *)

val repeat : int -> (int -> unit t) -> unit t
(** Calls the function with 1 to n. *)

val op : ?direct:(unit -> 'a) -> 'a Event.t -> 'a op

val within : float -> ?direct:(float -> 'a) -> 'a op -> 'a option op
(** [direct] is the plain call with a [?timeout]; the call raises
    {!Event.Timeout}. *)

(** {1 Running programs} *)

type 'a form = Direct of (unit -> 'a) | Event of 'a Event.t

type forms = { form : 'a. 'a op -> 'a form }
(** The form that a task uses, at each of its operations. *)

type hands = { yield : unit -> unit; sync : 'a. 'a Event.t -> 'a }

val run : hands -> forms -> 'a t -> 'a
(** In direct style. *)
