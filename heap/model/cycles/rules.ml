type t = Rule.t list

let names =
  Rule.
    [
      ( Awaits_rest,
        "no cycle is numbered before all domains have ended their sweeps" );
      (Barriers_first, "all domains have barriers before any domain scans");
      (Settles, "a handshake comes between barriers and scans");
      (Greys_overwritten, "an overwritten value is greyed");
      (Lent_too, "an overwritten value is greyed in a lent object too");
      (Greys_stored, "a stored value is greyed until its domain has scanned");
      (Grey_early, "an object published before its domain's scan is grey");
      ( Black_late,
        "an object published after its domain's scan counts as marked" );
      (Own_cycle, "a domain that has not greeted a cycle marks no object in it");
      (Scans_private, "a scan looks into private objects");
      (Traces_lent, "lent objects are traced like shared objects");
      (Keeps_lent, "no pin expires during a cycle");
      (Apart_stays, "a cycle does not decide about objects that are set apart");
      ( Pins_again,
        "expired objects around holes are lent when a heap is set apart" );
      (Scans_offers, "branches that have not begun are scanned");
      (Greys_taken, "a value taken from a record is greyed");
      (Scans_waiting, "heaps of waiting tasks are scanned");
      (Scans_roots, "heaps of waiting tasks are scanned from C's roots too");
      (Scans_entered, "a scanned domain scans the heap that it enters");
      (Scans_joined, "a scanned domain scans the heap that it joins");
      ( Scans_first,
        "an unscanned domain scans before it enters or joins a scanned heap" );
      (Takes_late, "an unscanned domain takes no room from a scanned domain");
      (Takes_buffers, "the collector takes all buffers before the end");
      (Checks_again, "if a buffer was not empty, all are taken again");
      (Joins, "a new domain is in the cycle's present stage");
      (Gives_at_end, "a domain that ends hands its buffer over");
      (Looks_again, "the collector looks for the buffers of ended domains");
      (Judged_before, "a cycle does not decide about objects frozen during it");
      ( Awaits_end,
        "no cycle ends before all domains have given up their barriers" );
      (Empties, "objects handed over after the end are forgotten");
      ( Seen_till_swept,
        "an object published before its heap is swept counts as marked" );
      (Ends_alone, "a program of one heap gives its cycle up");
      (Leaves_weak, "weak pointers to shared objects are not followed");
      ( Traces_unpinned,
        "weak pointers to objects the cycle does not decide about are followed"
      );
      (Private_data, "the data of a private weak object is scanned");
      (Traces_data, "data is traced when its key is marked");
      (Data_with_all, "data of several keys is traced when all are marked");
      ( Looks_at_end,
        "ephemerons are looked at when no domain has brought an object" );
      (Marks_read, "an object read from a weak pointer is marked");
      (Gives_read, "an object read from a weak pointer is handed over at once");
      (Tells_read, "a domain reports that it has read a weak pointer");
      (Decides_quietly, "no decision is made if an object was handed over since");
      ( Reads_again,
        "a domain that marks an object it has read looks for the decision" );
      (Dead_reads_none, "a weak pointer to a dead object reads as empty");
      (Data_with_key, "the data of a dead key reads as empty");
      (Clears, "weak pointers are cleared before any object is freed");
      (Awaits_cleared, "the cycle waits until all domains have cleared");
      (Exchanges_key, "a key that is set meanwhile is not cleared");
      (Clears_each, "each key of a weak object is looked at");
      (Tends_waiting, "weak pointers in waiting tasks' heaps are cleared");
      ( Tends_entered,
        "weak pointers in a heap are cleared before it is resumed or joined" );
      (Tends_frozen, "weak pointers in the shared heap are cleared");
      ( Sweep_forgets,
        "a sweep forgets weak objects that it frees, and freed keys of others"
      );
      (Takes_last, "the last finaliser of a dead object is taken");
      ( Takes_swept_last,
        "a sweep takes the last finalisers of objects that it frees" );
      (Told_is_weak, "a finaliser does not keep its value alive");
      (Marks_revived, "the value of a finaliser that will be called is marked");
      ( Back_mixed,
        "a chunk back with more than pins waits for a full collection" );
      (Back_unjudged, "the decision about a chunk that comes back is forgotten");
      (Back_full, "a chunk that was set apart does not come back with holes");
      (Expired_stays, "the room of an expired object is no hole");
      (Collects_first, "a sweep comes right after a collection");
      (Remembers, "a store of a young object into an old one is remembered");
      ( Remembers_expired,
        "a store of a young object into an expired one is remembered" );
      (Scans_remembered, "values of remembered fields are scanned");
      (Forgets_fields, "a full collection remembers no field");
      ( Pins_marked,
        "a live object that stays where all pins have expired gets a pin" );
      ( Stays_met,
        "an object that stays is marked, if the cycle decides about it" );
      ( Keeps_changed,
        "a young collection keeps what new or changed weak objects hold" );
      (Notes_changed, "an old weak object that is changed is looked at");
      (Leaves_private, "a full collection follows no weak pointer");
      (Keeps_with_all, "a full collection keeps data all of whose keys live");
      ( Keeps_in_rounds,
        "a full collection keeps data until a round keeps no more" );
      (Clears_private, "a full collection clears dead keys");
      (Takes_data, "a full collection clears the data of a dead key");
      (Scans_large, "a large object that is marked is scanned");
      ( Resumes_grey,
        "a domain that resumes a continuation greys the values of its stack" );
      (Locks_stacks, "no domain runs on a stack that is walked");
      ( Conts_for_good,
        "objects published with a continuation are pinned permanently" );
      (Strands, "no pin expires when a set-apart continuation is known to all");
    ]

let all = List.map fst names
let on rule (rules : t) = List.mem rule rules
let without rule = List.filter (( <> ) rule) all
let name rule = List.assoc rule names
