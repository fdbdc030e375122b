let all = []

let missing =
  [
    "cohttp-lwt-unix is not installed as a findlib library: no servers are \
     measured";
  ]

let main _ = false
