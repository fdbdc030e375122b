include Servers_built

type t = { name : string; about : string; parallel : bool }

let all =
  List.map (fun (name, about, parallel) -> { name; about; parallel }) all
