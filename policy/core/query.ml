open Core

let load policy =
  Array.find_opt
    (fun a -> a.owner = Of_thread && a.name = "load")
    policy.attributes

let handler policy event =
  List.find_opt (fun h -> h.event = event) policy.handlers

let runnable state =
  match state.state_class with
  | Running | Ready -> true
  | Blocked | Terminated -> false

let of_class policy c =
  List.filter (fun s -> s.state_class = c) (Array.to_list policy.states)

let running policy = List.hd (of_class policy Running)
let ready policy = of_class policy Ready

let rounds policy =
  List.fold_left
    (fun n -> function Within { rounds; _ } -> max n rounds | Exempt _ -> n)
    0 policy.relaxations
