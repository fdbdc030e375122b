open Domainslib

let loops pool =
  let init n f =
    let results = Array.make n None in
    Task.parallel_for ~chunk_size:1 ~start:0 ~finish:(n - 1)
      ~body:(fun i -> results.(i) <- Some (f i))
      pool;
    Array.map Option.get results
  in
  (* [Task.parallel_for_reduce] combines in any order. *)
  let reduce n f ~combine zero = Array.fold_left combine zero (init n f) in
  { Corpus.Loops.name = "Domainslib"; init; reduce }

let run ~workers f =
  let pool = Task.setup_pool ~num_domains:(workers - 1) () in
  Fun.protect
    ~finally:(fun () -> Task.teardown_pool pool)
    (fun () -> Task.run pool (fun () -> f (loops pool)))
