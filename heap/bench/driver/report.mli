(** What the variant says of itself at its end, with [DROMOS_HEAP=v]. *)

val figures : string -> (string * float) list
(** The figures that the text has, of those: [leaf_collections],
    [full_collections], [leaf_longest_ms], [leaf_s], [global_collections],
    [global_longest_ms], [copied_mb], [pinned_mb], [held_mb]. None of the text
    of a program that is not on the variant. *)
