open State
open Access
open Scenario
open Scripts

let in_chunks name programs =
  {
    (tasks name programs) with
    heap = [ [ nil ] ];
    garbage = true;
    chunks = true;
  }

(* A private object, beside an object that was shared and is garbage now. *)
let beside = [ Alloc 1; Alloc 2; Store (0, 0, 2); Erase (0, 0); Clear 2 ]
let comes_back = [ Fork_apart (1, 1); Join ]

let back =
  in_chunks "set apart, and back" [ root (beside @ comes_back); branch [] ]

let holes =
  in_chunks "a new object beside objects that come back"
    [ root ((Alloc 1 :: comes_back) @ [ Alloc 2 ]); branch [] ]

let expired =
  in_chunks "a new object beside an expired one"
    [ root [ Alloc 1; Fork (1, 1); Join; Alloc 2 ]; branch [] ]

let young = in_chunks "swept while an object is young" [ root beside ]

(* An object with an expired pin is lent again when the leaf is set apart. Only
   this object holds o2. *)
let lends_again = [ Alloc 2; Store (2, 0, 1); Clear 1; Fork_apart (2, 1) ]

let keeps =
  [ Alloc 1; Expires 1; Load (2, 0, 0); Store (1, 0, 2); Erase (0, 0) ]

let again =
  tasks "pinned again around a hole"
    [ root (keeps @ lends_again @ [ Clear 2 ]); branch [] ]

let taken_again =
  let takes = [ Load (2, 1, 0); Load (0, 2, 0); Erase (2, 0) ] in
  tasks "pinned again, and taken apart"
    [ root (keeps @ lends_again @ [ Clear 2 ]); branch takes ]

(* The weak object is garbage, or the weak object and its key are. *)
let dead_again name (dies : op list) =
  let lends : op list = [ Clear 1; Clear 2; Alloc 2; Fork_apart (2, 1) ] in
  {
    (tasks name [ root (dies @ lends); branch [] ]) with
    heap = [ [ nil ] ];
    garbage = true;
  }

let weak_again =
  dead_again "a dead weak object is pinned again" [ Alloc_weak 1; Expires 1 ]

let key_again =
  dead_again "a dead key is pinned again"
    [ Alloc 1; Expires 1; Alloc_weak 2; Store (2, 0, 1) ]

let last_again =
  dead_again "a dead value with a last finaliser is pinned again"
    [ Alloc 1; Expires 1; Finalise_last 1 ]

let told_again =
  dead_again "a dead value with a finaliser is pinned again"
    [ Alloc 1; Expires 1; Finalise 1 ]

let again_in_chunks =
  in_chunks "pinned again, in chunks"
    [ root (Alloc 1 :: Expires 1 :: lends_again); branch [] ]

let scripted =
  [
    back;
    holes;
    expired;
    young;
    again;
    taken_again;
    weak_again;
    key_again;
    last_again;
    told_again;
    again_in_chunks;
  ]
