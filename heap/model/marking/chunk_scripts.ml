open State
open Scenario
open Scripts

let in_chunks name programs =
  {
    (tasks name programs) with
    heap = [ [ nil ] ];
    garbage = true;
    chunks = true;
  }

(* Beside what is private is what others had, and nobody has. *)
let beside = [ Alloc 1; Alloc 2; Store (0, 0, 2); Erase (0, 0); Clear 2 ]
let comes_back = [ Fork_apart (1, 1); Join ]

let back =
  in_chunks "set apart, and back" [ root (beside @ comes_back); branch [] ]

let holes =
  in_chunks "a new object beside what comes back"
    [ root ((Alloc 1 :: comes_back) @ [ Alloc 2 ]); branch [] ]

let expired =
  in_chunks "a new object beside what has expired"
    [ root [ Alloc 1; Fork (1, 1); Join; Alloc 2 ]; branch [] ]

let young = in_chunks "swept while something is young" [ root beside ]
let scripted = [ back; holes; expired; young ]
