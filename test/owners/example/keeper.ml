open Types

let count t = t.count <- t.count + 1
let event = function Loud l -> l.volume <- l.volume + 1 | Quiet -> ()

let extra : type a. a ext -> unit = function
  | Extra e -> e.extra <- e.extra + 1
  | _ -> ()
