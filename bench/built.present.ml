open Bench_server_measure.Server_child

let all =
  List.map
    (fun (f : Bench_server.Front.t) -> (f.name, f.about, f.parallel))
    fronts

let missing = missing
let main = main
