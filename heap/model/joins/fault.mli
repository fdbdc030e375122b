(** The rules of heap/runtime, and the faults: each leaves out one rule. *)

type protocol =
  | Exclusive
      (** A store into an object that other domains can reach announces itself.
          A domain that has to lower a pin waits until no store is announced,
          and keeps new stores out. *)
  | Asymmetric
      (** [Exclusive], but a store announces itself without a fence. A lowering
          domain makes every other domain run a fence. *)
  | Second_look
      (** Pins are lowered beside stores. A store looks at the pin once more
          afterwards. *)

type t =
  | Unannounced
  | Announced_without_fence
  | Others_fenced_early
  | Nobody_awaited
  | Level_read_early
  | Lock_while_announced
  | Level_not_read_again
  | Half_walk_forgotten
  | No_second_look
  | No_fence_before_second_look
  | No_fence_in_lowering
  | Children_not_lowered
  | Lowers_nothing
  | Pinned_counts_as_private
  | One_deeper
  | Expired_moves
  | Expired_not_remembered
  | Lowered_expires
  | Expired_counts_as_pinned
  | Switch_publishes_nothing
  | Switch_publishes_own_only
  | Finished_before_switch
  | Merged_too_early
  | Log_not_merged
  | Remembered_not_merged
  | Closure_read_late
  | Global_forgets_offers
  | Global_pins_nothing
  | Global_till_later_join
  | Apart_moves
  | Apart_brought_back_early
  | Apart_expires
  | Apart_not_kept
  | Apart_made_deeper
  | Expired_before_brought_back
  | Apart_lowered_not_noted
  | Lowered_not_noted
  | Lowered_not_merged
  | Lowered_merged_unlocked
  | Untouched_without_fence
  | Cell_no_root
  | Put_off_forgotten
  | Put_off_expires
  | Apart_left_deeper
  | Expired_not_again
  | Deeper_not_again
  | Again_not_noted
  | Closed_early_expires
  | Closed_early_decrements
  | Closed_early_forgotten
  | Disordered_expires
  | Disorder_not_merged

type rules = { protocol : protocol; fault : t option }
