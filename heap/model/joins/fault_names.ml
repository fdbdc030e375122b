open Fault

let name = function
  | Unannounced -> "a store does not announce itself"
  | Announced_without_fence -> "no fence between announcing and looking"
  | Others_fenced_early ->
      "a lowering domain has others run a fence before it has the lock"
  | Nobody_awaited -> "a lowering domain does not wait for announced stores"
  | Level_read_early ->
      "a domain that has announced a store does not read the level again"
  | Lock_while_announced -> "a store that waits for the lock is still announced"
  | Level_not_read_again -> "the level is not read again under the lock"
  | Half_walk_forgotten -> "pins made half-way are not completed"
  | No_second_look -> "no second look at the pin after a store"
  | No_fence_before_second_look -> "no fence before the second look"
  | No_fence_in_lowering -> "no fence between lowering and looking at children"
  | Children_not_lowered -> "the children of a lowered object are not lowered"
  | Lowers_nothing -> "publishing stops at any pinned object"
  | Pinned_counts_as_private ->
      "a store takes a pinned object for a private one"
  | One_deeper -> "an object is published one level too deep"
  | Expired_moves -> "a young collection moves expired objects"
  | Expired_not_remembered -> "stores into expired objects are not remembered"
  | Lowered_expires -> "a pin that was lowered meanwhile expires"
  | Expired_counts_as_pinned -> "publishing stops at expired objects"
  | Switch_publishes_nothing -> "a switch of leaves publishes nothing"
  | Switch_publishes_own_only ->
      "a switch of leaves does not lower others' pins"
  | Finished_before_switch -> "a task has finished before its domain switches"
  | Merged_too_early -> "a join does not wait for the thief"
  | Log_not_merged -> "the thief's log is not merged"
  | Remembered_not_merged -> "the thief's remembered set is not merged"
  | Closure_read_late -> "the record's closure is read after the pins expired"
  | Global_forgets_offers -> "a global collection does not pin offered closures"
  | Global_pins_nothing ->
      "a global collection does not pin an object that two heaps reach"
  | Global_till_later_join ->
      "a global collection pins until the later join, not the first"
  | Apart_moves -> "a collection moves objects that were set apart"
  | Apart_brought_back_early ->
      "a join brings back all objects that were set apart"
  | Apart_expires -> "a deeper pin expires in a chunk that is set apart"
  | Apart_not_kept ->
      "objects set apart for deeper forks are not kept for a new one"
  | Apart_made_deeper ->
      "objects that are set apart already are set apart again"
  | Expired_before_brought_back ->
      "pins expire before objects set apart are brought back"
  | Apart_lowered_not_noted ->
      "pins lowered where objects are set apart are not noted"
  | Lowered_not_noted -> "pins that other domains lowered are not noted again"
  | Lowered_not_merged -> "pins lowered in the thief's chunks are not merged"
  | Lowered_merged_unlocked ->
      "lowered pins are merged while other domains lower more"
  | Untouched_without_fence -> "lowered pins are noted without a fence before"
  | Cell_no_root -> "collections do not look at cells"
  | Put_off_forgotten -> "an expiry that was put off is forgotten"
  | Put_off_expires -> "pins expire at a join while chunks stay apart"
  | Apart_left_deeper ->
      "objects set apart for deeper forks are handed over as they are"
  | Expired_not_again ->
      "expired objects around holes are not pinned when a heap is set apart"
  | Deeper_not_again -> "deeper pins around holes stay when a heap is set apart"
  | Again_not_noted -> "an object pinned again is not noted"
  | Closed_early_expires -> "pins expire when an older fork is joined first"
  | Closed_early_decrements ->
      "an older fork that is joined first makes its heap less deep"
  | Closed_early_forgotten -> "the early join of an older fork is forgotten"
  | Disordered_expires -> "pins expire where another's fork is joined"
  | Disorder_not_merged ->
      "pins expire after a join of a task that joined out of order"
