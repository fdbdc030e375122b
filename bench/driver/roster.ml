let ours =
  [
    (Suite.plain, Bench_sequential.contestants);
    ( Suite.general,
      Bench_closures.Entry.contestants @ Bench_dromos.Entry.contestants
      @ Bench_dromos_implicit.Entry.contestants
      @ Bench_dromos_tasks.Entry.contestants );
    ("locks", Bench_locks.contestants);
    ("messages", Bench_messages.Entry.contestants);
    ("switching", Bench_switching.contestants);
    ("preempting", Bench_preempting.contestants);
    ("pval", Bench_pval.contestants);
    ("applied", Bench_applied.contestants);
    ("speculating", Bench_speculating.contestants);
    ("barriers", []);
    (Grows.family, Bench_growing.contestants);
  ]

(* With their opam packages. *)
let peers =
  [
    ("Domainslib", "domainslib", Peer_domainslib.families);
    ("Moonpool", "moonpool", Peer_moonpool.families);
    ("Picos", "picos_mux picos_std", Peer_picos.families);
    ("Eio", "eio_posix", Peer_eio.families);
  ]

let families =
  let others =
    Policies.families @ List.concat_map (fun (_, _, families) -> families) peers
  in
  let of_family family =
    List.concat_map (fun (f, c) -> if f = family then c else []) others
  in
  List.map (fun (family, own) -> (family, own @ of_family family)) ours

let contestants = List.concat_map snd families

let missing =
  let line (name, packages, families) =
    if families = [] then
      Some
        (Printf.sprintf
           "%s is not installed as a findlib library: nothing is claimed \
            against it (opam install %s)"
           name packages)
    else None
  in
  List.filter_map line peers
