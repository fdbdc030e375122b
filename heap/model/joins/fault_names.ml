open Fault

let name = function
  | Unannounced -> "a store does not announce itself"
  | Announced_without_fence -> "no fence between announcing and looking"
  | Others_fenced_early ->
      "who lowers has others run a fence before it has the lock"
  | Nobody_awaited -> "who lowers does not wait for stores under way"
  | Level_read_early ->
      "the level is not read again by who has announced a store"
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
  | Global_till_later_join ->
      "what two branches reach lasts, after that, till the later of their joins"
  | Apart_moves -> "a collection moves what was set apart"
  | Apart_brought_back_early -> "a join brings all back that was set apart"
  | Apart_expires -> "what was pinned deeper expires where it is set apart"
  | Apart_not_kept ->
      "what was set apart for deeper forks is not kept for a new one"
  | Apart_made_deeper -> "who sets apart does so with what is already"
  | Expired_before_brought_back ->
      "pins expire before what was set apart is brought back"
  | Apart_lowered_not_noted ->
      "what was lowered where it was set apart is not noted"
  | Lowered_not_noted -> "what others lowered is not noted again"
  | Lowered_not_merged -> "what was lowered in the thief's chunks is not merged"
  | Lowered_merged_unlocked ->
      "what was lowered is merged while others lower more"
  | Untouched_without_fence ->
      "what others lowered is noted without a fence before"
  | Cell_no_root -> "collections do not look at cells"
  | Put_off_forgotten -> "what is put off is forgotten"
  | Put_off_expires -> "pins expire at a join while chunks stay apart"
  | Apart_left_deeper ->
      "what is apart for deeper forks is handed over as it is"
  | Expired_not_again ->
      "who sets apart leaves what has expired around holes as it is"
  | Deeper_not_again ->
      "who sets apart leaves what is pinned deeper around holes as it is"
  | Again_not_noted -> "what is pinned again is not noted"
  | Closed_early_expires -> "pins expire when an older fork is joined first"
  | Closed_early_decrements ->
      "an older fork that is joined first makes its heap less deep"
  | Closed_early_forgotten -> "that an older fork was joined first is forgotten"
  | Disordered_expires -> "pins expire where another's fork is joined"
  | Disorder_not_merged ->
      "who joins what is out of order goes on to let pins expire"
