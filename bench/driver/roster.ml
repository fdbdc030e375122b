let groups =
  [
    ("Dromos", Roster_dromos.contestants @ Roster_policies.contestants);
    ("Domainslib", Roster_domainslib.contestants);
    ("Moonpool", Roster_moonpool.contestants);
    ("Picos", Roster_picos.contestants);
  ]

let families =
  [
    (Suite.plain, Bench_sequential.contestants);
    ( Suite.general,
      Bench_closures.Entry.contestants @ List.concat_map snd groups );
    ("locks", Roster_locks.contestants);
    ("messages", Roster_messages.contestants @ Roster_messages_eio.contestants);
    ( "switching",
      Roster_switching.contestants @ Roster_switching_eio.contestants
      @ Roster_switching_picos.contestants
      @ Roster_switching_moonpool.contestants );
    ("preempting", Roster_preempting.contestants);
    ("pval", Roster_pval.contestants);
    ("applied", Roster_applied.contestants);
    ("speculating", Roster_speculating.contestants);
    ("barriers", Roster_policies.barriers);
    ( Grows.family,
      Roster_growing.contestants @ Roster_growing_domainslib.contestants );
  ]

let contestants = List.concat_map snd families

let missing =
  Roster_messages_eio.missing
  @ List.filter_map
      (fun (name, contestants) ->
        if contestants = [] then
          Some
            (name
           ^ " is not installed as a findlib library: nothing is claimed \
              against it")
        else None)
      groups
