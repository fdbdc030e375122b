let cross_language : Program.t list =
  [
    Hash_dedup.program;
    Linefit.program;
    Mcss.program;
    Msort.program;
    Primes.program;
    Sparse_mxv.program;
    Tokens.program;
    Wc.program;
  ]

(* The programs with shared structures of the paper's section 5.1, and interval-tree, a
   program without shared structures. *)
let shared : Program.t list =
  [
    Boundary.program;
    Delaunay.program;
    Harris_list_mix.program;
    Intervals.program;
    Linden_pq_mix.program;
    Ms_queue_mix.program;
    Persistent_versions.program;
    Reachability.program;
    Spanner.program;
  ]

let all = cross_language @ shared @ [ Stress.program 50 ]

let find name =
  match List.find_opt (fun (p : Program.t) -> p.name = name) all with
  | Some _ as found -> found
  | None -> Stress.of_name name
