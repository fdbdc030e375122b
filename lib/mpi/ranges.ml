(* {1 A rank's part} *)

type range = { first : int; past : int }

let length r = r.past - r.first

type mine = { range : range Atomic.t; grain : int }

let rec take t ~most =
  let r = Atomic.get t.range in
  let n = Int.min most (length r) in
  if n <= 0 then None
  else if Atomic.compare_and_set t.range r { r with first = r.first + n } then
    Some { r with past = r.first + n }
  else take t ~most

(* Cuts off the upper half, in whole grains. *)
let rec give_half t =
  let r = Atomic.get t.range in
  let grains = length r / t.grain in
  if grains < 2 then None
  else
    let middle = r.past - (grains / 2 * t.grain) in
    if Atomic.compare_and_set t.range r { r with past = middle } then
      Some { r with first = middle }
    else give_half t

let left t = length (Atomic.get t.range)

(* {1 Results of ranges}

   Touching ranges become one range, so that a rank ends with about as many results as
   the rank was given ranges. *)

module Starts = Map.Make (Int)

type 'r results =
  (int * 'r) Starts.t (* from the first index to the end and the result *)

let add ~join { first; past } result (all : 'r results) : 'r results =
  let first, result, all =
    match Starts.find_last_opt (fun at -> at < first) all with
    | Some (at, (end_, before)) when end_ = first ->
        (at, join before result, Starts.remove at all)
    | Some _ | None -> (first, result, all)
  in
  match Starts.find_opt past all with
  | Some (end_, after) ->
      Starts.add first (end_, join result after) (Starts.remove past all)
  | None -> Starts.add first (past, result) all
