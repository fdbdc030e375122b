let all : Program.t list = [ Wc.program ]
let find name = List.find_opt (fun (p : Program.t) -> p.name = name) all
