type t = Dromos_mpi.t

let available = true

let run f =
  Dromos_mpi.with_world (fun world ->
      if Dromos_mpi.rank world = 0 then Progress_line.under_launcher ();
      f world)

let rank = Dromos_mpi.rank
let size = Dromos_mpi.size
let workers = Dromos_mpi.workers
let job = Corpus_ranks.job
let agreed world f = Dromos_mpi.broadcast world ~root:0 f
