let groups =
  [
    ("Dromos", Roster_dromos.contestants);
    ("Domainslib", Roster_domainslib.contestants);
    ("Moonpool", Roster_moonpool.contestants);
    ("Picos", Roster_picos.contestants);
  ]

let contestants =
  Bench_sequential.contestants @ Bench_closures.Entry.contestants
  @ List.concat_map snd groups

let structures =
  Roster_locks.contestants @ Roster_messages.contestants
  @ Roster_messages_eio.contestants

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
