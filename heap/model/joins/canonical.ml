open Pointers
open State
open Access
open Places

let state s =
  let roots meet =
    iter (fun place v -> match place with In _ -> () | _ -> meet v) s
  in
  let fields v = (obj s v).fields in
  let n = Array.length s.objects in
  let { order; number } = breadth_first n roots [] fields in
  let s = { s with objects = Array.map (obj s) order } in
  map (fun _ v -> if v > 0 then number.(v) else v) s

let key = Pointers.key
