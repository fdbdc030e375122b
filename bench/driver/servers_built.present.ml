open Bench_server_measure.Server_child

let all =
  List.map
    (fun (f : Bench_server.Front.t) -> (f.name, f.about, f.parallel))
    fronts

let missing = missing
let benches = benches

let arguments ~server ~bench ~workers ~load ~seconds ~n =
  arguments ~front:server ~bench ~workers ~load ~seconds ~n

let main = main
