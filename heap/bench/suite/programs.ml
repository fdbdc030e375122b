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

let all = cross_language
let find name = List.find_opt (fun (p : Program.t) -> p.name = name) all
