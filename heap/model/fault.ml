type protocol = Exclusive | Second_look

type t =
  | Unannounced
  | Announced_without_fence
  | Nobody_awaited
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
  | Apart_moves
  | Apart_brought_back_early
  | Apart_lowered_not_noted
  | Lowered_not_noted
  | Untouched_without_fence
  | Cell_no_root
  | Disordered_expires
  | Disorder_not_merged

type rules = { protocol : protocol; fault : t option }

let name = function
  | Unannounced -> "a store does not announce itself"
  | Announced_without_fence -> "no fence between announcing and looking"
  | Nobody_awaited -> "who lowers does not wait for stores under way"
  | Lock_while_announced -> "who waits for the lock is still announced"
  | Level_not_read_again -> "the level is not read again under the lock"
  | Half_walk_forgotten -> "what was pinned half-way is not walked on"
  | No_second_look -> "no second look at the pin after a store"
  | No_fence_before_second_look -> "no fence before the second look"
  | No_fence_in_lowering -> "no fence between lowering and looking at children"
  | Children_not_lowered -> "children of what is lowered are not"
  | Lowers_nothing -> "publishing stops at whatever is pinned"
  | Pinned_counts_as_private -> "a store takes what is pinned for its own"
  | One_deeper -> "published one level too deep"
  | Expired_moves -> "a young collection moves what has expired"
  | Expired_not_remembered -> "stores into what has expired are not remembered"
  | Lowered_expires -> "what was lowered meanwhile expires"
  | Expired_counts_as_pinned -> "publishing stops at what has expired"
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
      "a global collection does not pin what two heaps reach"
  | Apart_moves -> "a collection moves what was set apart"
  | Apart_brought_back_early -> "a join brings all back that was set apart"
  | Apart_lowered_not_noted ->
      "what was lowered where it was set apart is not noted"
  | Lowered_not_noted -> "what others lowered is not noted again"
  | Untouched_without_fence ->
      "what others lowered is noted without a fence before"
  | Cell_no_root -> "collections do not look at cells"
  | Disordered_expires -> "pins expire at joins out of order"
  | Disorder_not_merged ->
      "who joins what is out of order goes on to let pins expire"
