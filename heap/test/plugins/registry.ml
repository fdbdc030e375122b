exception Refused of string

let all : (string * (int -> string list)) list Atomic.t = Atomic.make []

let rec add name f =
  let before = Atomic.get all in
  if not (Atomic.compare_and_set all before ((name, f) :: before)) then
    add name f

let find name = List.assoc name (Atomic.get all)
