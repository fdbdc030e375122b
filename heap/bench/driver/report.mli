(** What the variant says of itself at its end, with [DROMOS_HEAP=v]. *)

val figures : string -> (string * float) list
(** The figures that the text has; none of that of a program which is not on the
    variant. [allocated_mb], [promoted_mb], [copied_mb], [held_mb] (the most),
    [entangled_mb] (all that was pinned), [pinned_mb] (the most at a time),
    [publications]; of [young], [full] and [global] collections: their number
    ([young_collections]), seconds of all domains ([young_s]) and the longest
    ([young_longest_ms]); [leaf_share], the share of the domains' time in the
    first two; [splits] and [merges] of heaps. *)
