let all = []

let missing =
  [
    "cohttp-lwt-unix is not installed as a findlib library: no servers are \
     measured";
  ]

let benches = []

let arguments ~server:_ ~bench:_ ~workers:_ ~load:_ ~seconds:_ ~n:_ =
  invalid_arg "Servers.arguments: there are none"

let main _ = false
