type t = Rule.t list

let names =
  Rule.
    [
      (Awaits_rest, "no cycle is numbered before all sweep no more for the last");
      (Barriers_first, "all have barriers before anybody scans");
      (Settles, "a handshake between barriers and scans");
      (Greys_overwritten, "what is overwritten is greyed");
      (Lent_too, "so is what is overwritten in what is lent");
      (Greys_stored, "what is stored is greyed, till its domain has scanned");
      (Grey_early, "what is published before the scan is grey");
      (Black_late, "what is published after the scan is met");
      (Own_cycle, "who has not greeted a cycle marks nothing in it");
      (Scans_private, "the scan looks into private objects");
      (Traces_lent, "what is lent is traced as what is shared");
      (Keeps_lent, "nothing expires while a cycle lasts");
      (Apart_stays, "what is set apart is not judged");
      ( Pins_again,
        "what has expired around holes is lent with what is set apart" );
      (Scans_offers, "branches that nobody has begun are scanned");
      (Greys_taken, "what is taken from a record is greyed");
      (Scans_waiting, "heaps that nobody runs are scanned");
      (Scans_roots, "heaps that nobody runs are scanned from C's roots too");
      (Scans_entered, "who has scanned scans the heap that it enters");
      (Scans_joined, "who has scanned scans the heap that it joins");
      ( Scans_first,
        "who has not scanned does, before it enters or joins one that is" );
      (Takes_late, "nor does it take room from who has, till then");
      (Takes_buffers, "the end is found by taking all buffers");
      (Checks_again, "if one was not empty all are taken again");
      (Joins, "a new domain is as far as the cycle");
      (Gives_at_end, "a domain that ends gives its buffer");
      (Looks_again, "what ended domains gave is looked for at the end");
      (Judged_before, "what is frozen during a cycle is not judged by it");
      (Awaits_end, "no cycle ends before all have no barriers");
      (Empties, "what is given after the end is forgotten");
      (Seen_till_swept, "what is published before its heap is swept is met");
      (Ends_alone, "a program of one heap gives its cycle up");
      (Leaves_weak, "weak pointers are not followed");
      (Traces_unpinned, "but to what is not shared by itself");
      (Private_data, "what a private weak object has for data is scanned");
      (Traces_data, "data is traced when its key has been met");
      (Data_with_all, "all of its keys, if there are several");
      (Looks_at_end, "and when all have brought nothing");
      (Marks_read, "what is read from a weak pointer is marked");
      (Gives_read, "and given at once");
      (Tells_read, "and that is said");
      (Decides_quietly, "nothing is decided when something was given since");
      (Reads_again, "who marks what it has read looks whether that was decided");
      (Dead_reads_none, "what is dead reads as none");
      (Data_with_key, "so does its data");
      (Clears, "weak pointers are cleared before anything is freed");
      (Awaits_cleared, "by all, before what is dead reads as it is again");
      (Exchanges_key, "what is set meanwhile is not cleared");
      (Clears_each, "each key is looked at");
      (Tends_waiting, "and in heaps that nobody runs");
      (Tends_entered, "and in one that is resumed or joined before that");
      (Tends_frozen, "and in what is everybody's");
      ( Sweep_forgets,
        "a sweep forgets weak objects that it frees, and keys of the others" );
      (Takes_last, "what is dead is not waited for by its last finaliser");
      (Takes_swept_last, "nor what a sweep frees");
      (Told_is_weak, "what has a finaliser is not held by that");
      (Marks_revived, "what is to be finalised is marked");
      ( Back_mixed,
        "what comes back with more than pins waits for a full collection" );
      (Back_unjudged, "nor for the last cycle");
      (Back_full, "what was set apart does not come back as holes");
      (Expired_stays, "what has expired is no hole");
      (Collects_first, "a sweep comes right after a collection");
      (Remembers, "a store of what is young into what is old is remembered");
      (Remembers_expired, "so is one into what has expired");
      (Scans_remembered, "what remembered fields hold is scanned");
      (Forgets_fields, "a full collection remembers no field");
      (Pins_marked, "what lives where all has expired, and stays, gets a pin");
      (Stays_met, "and is met, if the chunk is judged");
      ( Keeps_changed,
        "a young collection keeps what new or changed weak objects have" );
      (Notes_changed, "an old weak object that is changed is looked at");
      (Leaves_private, "a full collection follows no weak pointer");
      (Keeps_with_all, "but to data all of whose keys live");
      (Keeps_in_rounds, "as long as that brings more");
      (Clears_private, "it clears keys that are dead");
      (Takes_data, "and the data with any of them");
      (Scans_large, "a large object that is met is scanned");
      (Resumes_grey, "who resumes a continuation greys what its stack holds");
      (Locks_stacks, "nobody runs on a stack that is walked");
      (Conts_for_good, "what is published with a continuation is so for good");
      (Strands, "nothing expires when one that was set apart is known to all");
    ]

let all = List.map fst names
let on rule (rules : t) = List.mem rule rules
let without rule = List.filter (( <> ) rule) all
let name rule = List.assoc rule names
