(* Linear probing. If two elements compete for a slot, the greater element takes the
   slot, and the lesser element moves on. So for any order of additions, the slots from
   an element's hash to its own slot hold only greater elements. *)

type 'a t = {
  slots : 'a option Atomic.t array;
  mask : int;
  hash : 'a -> int;
  compare : 'a -> 'a -> int;
  merge : 'a -> 'a -> 'a;
}

let create ~room ~hash ~compare ~merge =
  let rec size n = if n > room then n else size (2 * n) in
  let n = size 2 in
  let slots = Array.init n (fun _ -> Atomic.make None) in
  { slots; mask = n - 1; hash; compare; merge }

let places t = Array.length t.slots
let at t i = Atomic.get t.slots.(i)

(* [full] is [Some x]. *)
let rec place t full x i steps =
  if steps > t.mask then failwith "Merge_table.add: no room";
  let slot = t.slots.(i land t.mask) in
  match Atomic.get slot with
  | None -> Atomic.compare_and_set slot None full || place t full x i steps
  | Some y as there ->
      let order = t.compare x y in
      if order < 0 then place t full x (i + 1) (steps + 1)
      else if order = 0 then begin
        let merged = t.merge x y in
        if merged == y || Atomic.compare_and_set slot there (Some merged) then
          false
        else place t full x i steps
      end
      else if Atomic.compare_and_set slot there full then
        place t there y (i + 1) (steps + 1)
      else place t full x i steps

let add t x = place t (Some x) x (t.hash x) 0

let find_opt t x =
  let rec go i steps =
    if steps > t.mask then None
    else
      match at t (i land t.mask) with
      | None -> None
      | Some y as there ->
          let order = t.compare x y in
          if order < 0 then go (i + 1) (steps + 1)
          else if order = 0 then there
          else None
  in
  go (t.hash x) 0

let mem t x = Option.is_some (find_opt t x)
