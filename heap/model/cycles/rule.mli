(** The rules of [cycle.c]. A fault leaves out one rule. *)

type t =
  | Awaits_rest
  | Barriers_first
  | Settles
  | Greys_overwritten
  | Lent_too
  | Greys_stored
  | Grey_early
  | Black_late
  | Own_cycle
  | Scans_private
  | Traces_lent
  | Keeps_lent
  | Apart_stays
  | Pins_again
  | Scans_offers
  | Greys_taken
  | Scans_waiting
  | Scans_roots
  | Scans_entered
  | Scans_joined
  | Scans_first
  | Takes_late
  | Takes_buffers
  | Checks_again
  | Joins
  | Gives_at_end
  | Looks_again
  | Judged_before
  | Awaits_end
  | Empties
  | Seen_till_swept
  | Ends_alone
  | Leaves_weak
  | Traces_unpinned
  | Private_data
  | Traces_data
  | Data_with_all
  | Looks_at_end
  | Marks_read
  | Gives_read
  | Tells_read
  | Decides_quietly
  | Reads_again
  | Dead_reads_none
  | Data_with_key
  | Clears
  | Awaits_cleared
  | Exchanges_key
  | Clears_each
  | Tends_waiting
  | Tends_entered
  | Tends_frozen
  | Sweep_forgets
  | Takes_last
  | Takes_swept_last
  | Told_is_weak
  | Marks_revived
  | Back_mixed
  | Back_unjudged
  | Back_full
  | Expired_stays
  | Collects_first
  | Remembers
  | Remembers_expired
  | Scans_remembered
  | Forgets_fields
  | Pins_marked
  | Stays_met
  | Keeps_changed
  | Notes_changed
  | Leaves_private
  | Keeps_with_all
  | Keeps_in_rounds
  | Clears_private
  | Takes_data
  | Scans_large
  | Resumes_grey
  | Locks_stacks
  | Conts_for_good
  | Strands

type rules = t list

val all : rules
val on : t -> rules -> bool
val without : t -> rules
val name : t -> string
