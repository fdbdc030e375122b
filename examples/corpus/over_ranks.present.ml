type t = Dromos_mpi.t

let available = true
let run = Dromos_mpi.with_world
let rank = Dromos_mpi.rank
let size = Dromos_mpi.size
let workers = Dromos_mpi.workers
let job = Corpus_ranks.job
let agreed world f = Dromos_mpi.broadcast world ~root:0 f
