(** Compares two series of times that were measured in turn.

    Run [i] of one series is paired with run [i] of the other: both ran at the
    same placement and, unless one was repeated, in the same round, so that a
    disturbance of the machine that lasts longer than a round cancels out in
    their ratio. The result is the median of the ratios with a 95 % confidence
    interval by the percentile bootstrap (Efron and Tibshirani,
    {i An Introduction to the Bootstrap}, chapter 13). With few pairs that
    interval is slightly too narrow: of eight it is the second to the seventh
    ratio, which covers the median in 93 % of all cases. *)

type verdict =
  | Ahead  (** the whole interval is below 1: less time than the peer *)
  | Behind  (** the whole interval is above 1 *)
  | Equal  (** 1 is inside, and both ends are within {!resolution} of it *)
  | Unclear  (** 1 is inside a wider interval, or there are too few pairs *)

type t = {
  pairs : int;  (** how many ratios there are, at least 1 *)
  ratio : float;  (** their median: own time over the peer's *)
  low : float;  (** lower end of the interval *)
  high : float;  (** upper end of the interval *)
  verdict : verdict;
}

val resolution : float
(** 0.05: how near to 1 both ends of the interval of [Equal] are. *)

val least_pairs : int
(** 6: with fewer pairs no interval of observed ratios covers the median with a
    probability of 95 % (2 * 0.5^n is above 0.05), and the verdict is [Unclear].
*)

val compare : own:float list -> peer:float list -> t option
(** [compare ~own ~peer] pairs the times in their order, ignores those that the
    longer list has in addition, and drops pairs in which a time is not finite
    or not positive. [None] if no pair remains. The resampling starts from a
    fixed seed: equal series have equal results. Takes some 2000 medians of as
    many numbers as there are pairs. *)

val within : t -> float
(** The greater distance of the two ends of the interval from 1: 0.03 says that
    the series are equal within 3 %. *)

val name : verdict -> string
(** ["ahead"], ["behind"], ["equal"] or ["unclear"]. *)
