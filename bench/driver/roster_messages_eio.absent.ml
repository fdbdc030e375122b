let contestants = []

let missing =
  [ "Eio is not installed as a findlib library: its streams are not measured" ]
