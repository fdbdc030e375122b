(** The curves of charts, from rows. *)

val of_rows :
  ?level:(Row.t -> float list) ->
  Row.t list ->
  x:(Row.t -> float option) ->
  y:(Row.t -> float option) ->
  Chart.curve list
(** A curve for each contestant, in the order of the rows; points ascend in [x].
    Rows without [x], and rows without a finite [y], have no point. A contestant
    whose only row is [r] is a level line over [level r], unless [level r] is
    empty, as it is by default. Contestants without points have no curve. *)

val workers : Row.t -> float option
(** The number of workers, as a place. *)
