type t = { name : string; about : string; parallel : bool }

let all =
  List.map
    (fun (name, about, parallel) -> { name; about; parallel })
    Servers_built.all

let program = Beside.program "servers.exe"

let look ~program ~wrk =
  if all = [] then (Servers_built.missing, [])
  else if not (Sys.file_exists program) then
    ( [
        program
        ^ " is not there: no servers are measured (dune build bench/main.exe \
           makes both)";
      ],
      [] )
  else
    let missing, with_wrk =
      match wrk with
      | Some _ -> ([], [ "fibserver_wrk" ])
      | None ->
          ( [
              "wrk is not installed: fibserver_wrk is left out (./setup peers \
               brings it)";
            ],
            [] )
    in
    ( Servers_built.missing @ missing,
      [ "fibserver"; "fibserver_mixed"; "ticker" ] @ with_wrk )

let missing, benches = look ~program ~wrk:(Process.find "wrk")
let command job = program :: Bench_core.Server_job.arguments job
