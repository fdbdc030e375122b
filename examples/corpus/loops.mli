(** The parallel loops of the job, as a value: the same job runs on Dromos, or
    on another library beside Dromos for comparison. *)

type t = {
  name : string;
  init : 'a. int -> (int -> 'a) -> 'a array;
      (** [init n f]: [f 0] to [f (n - 1)], each a piece of its own *)
  reduce : 'a. int -> (int -> 'a) -> combine:('a -> 'a -> 'a) -> 'a -> 'a;
      (** [reduce n f ~combine zero] combines [f 0] to [f (n - 1)], in order;
          [zero] is neutral, and [combine] associative *)
}
(** Loops nest. *)

val dromos : t
(** {!Dromos.Par}: inside a run on its workers, outside as plain loops. *)

val map : t -> ('a -> 'b) -> 'a array -> 'b array
val iteri : t -> (int -> 'a -> unit) -> 'a array -> unit
