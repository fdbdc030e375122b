(** Plain hubs: the standard hub, the hybrid hub and the FIFO hub. A plain hub never
    asks a victim, and does nothing in [enlist], [tick], [finished], [blocked] and
    [close]. *)
From iris.heap_lang Require Import proofmode notation.
From iris.prelude Require Import options.
From dromos.hub Require Import hub_spec.

(** Proves the obligations of [hub_spec] for operations that do nothing. In the first
    case [hub_asked] is false. The other cases open the hub's invariant, which begins
    with three parts of the hub and names the hub's record of closures. *)
Ltac hub_does_nothing :=
  intros; iIntros "H HΦ";
  first [ iDestruct "H" as "(_ & _ & [])"
        | iDestruct "H" as "[(%a & %b & %nf & -> & _) Hown]"
        | iDestruct "H" as "(%a & %b & %nf & -> & _)" ];
  simpl; wp_pures; by iApply "HΦ".
