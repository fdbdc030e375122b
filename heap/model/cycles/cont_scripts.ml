open State
open Access
open Scripts

(* Only the stack of the continuation holds o2. *)
let shares = takes_out @ [ Capture (2, 1); Clear 1; Store (0, 0, 2); Clear 2 ]

let resumed =
  scripts "a continuation that another domain resumes"
    [ shares; [ Load (1, 0, 0); Resume (2, 1) ] ]

let knows_all = branch [ Store (1, 0, 0) ]

let lent_with =
  tasks "a continuation lent, and shared"
    [ root [ Alloc 1; Capture (2, 1); Fork (2, 1) ]; knows_all ]

let stranded =
  let sets_apart =
    [ Alloc 1; Capture (2, 1); Clear 1; Fork_apart (2, 1); Join ]
  in
  {
    (tasks "a continuation set apart, and shared"
       [ root sets_apart; knows_all ])
    with
    domains = [ idle; root [ Load (1, 0, 0); Resume (2, 1) ] ];
    heap = [ [ nil ] ];
  }

let scripted = [ resumed; lent_with; stranded ]
