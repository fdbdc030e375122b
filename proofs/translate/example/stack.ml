(* Treiber's stack. [items] is mutable only to give the block an identity. *)

type 'a list = Empty | Items of { mutable items : 'a items }
and 'a items = { item : 'a; rest : 'a list }

type 'a t = 'a list Atomic.t

let create () : 'a t = Atomic.make Empty

let rec push t item =
  let seen = Atomic.get t in
  let next = Items { items = { item; rest = seen } } in
  if not (Atomic.compare_and_set t seen next) then push t item

let rec pop t =
  match Atomic.get t with
  | Empty -> None
  | Items i as seen ->
      let top = i.items in
      if Atomic.compare_and_set t seen top.rest then Some top.item else pop t
