(** Plain hubs: the standard hub, the hybrid one and the FIFO. They never ask a victim,
    and much of what a pool tells a hub means nothing to them: that a worker enlists, the
    ticks, and what became of a task. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.hub Require Import hub_spec.

(** The obligations of an instance of [hub_spec] that say so. The hub's invariant begins
    with three parts of the hub, and says of which record of closures it is. *)
Ltac hub_does_nothing :=
  intros; iIntros "H HΦ";
  first [ iDestruct "H" as "(_ & _ & [])"
        | iDestruct "H" as "[(%a & %b & %nf & -> & _) Hown]"
        | iDestruct "H" as "(%a & %b & %nf & -> & _)" ];
  simpl; wp_pures; by iApply "HΦ".
