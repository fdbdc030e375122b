(** The inner loops of [Par]: only the user's function is called for an element.

    Internal, for the modules of [Par]; [write.ml] writes the code. A loop
    neither blocks nor allocates, and raises what the user's function raises. *)

type run = int Atomic.t -> int -> int -> int -> int
(** [run signal sign lo hi] does the iterations from [lo] to [hi - 1] while
    [signal] is [sign]; the signal is read before each iteration. The result is
    the index of the next iteration: [lo], if [signal] differs from the start.
*)

type 'a fold = int Atomic.t -> int -> 'a -> int -> int -> 'a * int
(** [fold signal sign acc lo hi] is as [run]. [acc] is the reduction of the
    elements to the left of [lo]; the result has the reduction of the elements
    to the left of the next index. *)

(** {1 Ranges} *)

val body : (int -> unit) -> run
val reduce : (int -> 'a) -> ('a -> 'a -> 'a) -> 'a fold

val find_map : (int -> 'a -> unit) -> (int -> 'a option) -> run
(** Calls the first argument with the index and the value found. The first
    argument usually raises. *)

val find : (int -> unit -> unit) -> (int -> bool) -> bool -> run
(** Calls the first argument with an index for which the predicate equals the
    last argument. *)

(** {1 Arrays}

    No index is checked. If a function takes several arrays, the last is
    written. *)

val iter : ('a -> unit) -> 'a array -> run
val iteri : (int -> 'a -> unit) -> 'a array -> run
val iter2 : ('a -> 'b -> unit) -> 'a array -> 'b array -> run
val init : (int -> 'a) -> 'a array -> run
val map : ('a -> 'b) -> 'a array -> 'b array -> run
val mapi : (int -> 'a -> 'b) -> 'a array -> 'b array -> run
val map2 : ('a -> 'b -> 'c) -> 'a array -> 'b array -> 'c array -> run

val flags : ('a -> bool) -> 'a array -> Bytes.t -> run
(** Writes 1 at the indices where the predicate holds, and leaves other bytes
    alone. *)

val options : ('a -> 'b option) -> 'a array -> 'b option array -> run
(** Writes each result that is a [Some], and leaves other elements alone. *)

val fold : ('a -> 'a -> 'a) -> 'a array -> 'a fold
val map_reduce : ('a -> 'b) -> ('b -> 'b -> 'b) -> 'a array -> 'b fold
val count : ('a -> bool) -> 'a array -> int fold

val find_element :
  (int -> unit -> unit) -> ('a -> bool) -> 'a array -> bool -> run

(** {1 Arrays of unboxed floats} *)

val float_iteri : (int -> float -> unit) -> floatarray -> run
val float_init : (int -> float) -> floatarray -> run
val float_map : (float -> float) -> floatarray -> floatarray -> run
val float_mapi : (int -> float -> float) -> floatarray -> floatarray -> run

val float_map2 :
  (float -> float -> float) -> floatarray -> floatarray -> floatarray -> run

val float_map_reduce :
  (float -> 'a) -> ('a -> 'a -> 'a) -> floatarray -> 'a fold
