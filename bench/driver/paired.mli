(** Compares two series of times that were measured in turn.

    Run [i] of the first series is paired with run [i] of the second. Both ran
    at the same placement and, unless a disturbed run was repeated, in the same
    round: a disturbance longer than a round cancels out in their ratio. The
    result is the median of the ratios with a 95 % confidence interval by the
    percentile bootstrap (Efron and Tibshirani,
    {i An Introduction to the Bootstrap}, chapter 13). With few pairs the
    interval is slightly too narrow: for eight ratios, the interval goes from
    the second to the seventh ratio, which cover the median in 93 % of all
    cases. *)

type verdict =
  | Ahead  (** the whole interval is below 1: less time than the peer *)
  | Behind  (** the whole interval is above 1 *)
  | Equal  (** 1 is inside, and both ends are within {!resolution} of 1 *)
  | Unclear  (** 1 is inside a wider interval, or there are too few pairs *)

type t = {
  pairs : int;  (** number of ratios, at least 1 *)
  ratio : float;  (** median of the ratios: own time over the peer's *)
  low : float;  (** lower end of the interval *)
  high : float;  (** upper end of the interval *)
  verdict : verdict;
}

val resolution : float
(** 0.05: the greatest distance from 1 of the ends of the interval of [Equal].
*)

val least_pairs : int
(** 6: the median of fewer ratios has no interval of 95 %, since 2 * 0.5^n is
    above 0.05 (the probability that all n ratios are on one side of the median
    of their distribution). With fewer pairs the verdict is [Unclear]. *)

val compare : own:float list -> peer:float list -> t option
(** [compare ~own ~peer] pairs the times in their order, ignores the excess of
    the longer list, and drops pairs with a time that is not finite or not
    positive. [None] if no pair remains. The resampling starts from a fixed
    seed: equal series have equal results. The cost is 2000 medians of as many
    numbers as there are pairs. Raises nothing. *)

val within : t -> float
(** The greater distance from 1 of the two ends of the interval: 0.03 means that
    the series are equal within 3 %. *)

val name : verdict -> string
(** ["ahead"], ["behind"], ["equal"] or ["unclear"]. *)
