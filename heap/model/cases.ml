open State
open Scenario

let does script = { script; fuel = 0 }
let may ?(after = []) fuel = { script = after; fuel }

let plain =
  {
    name = "";
    domains = 2;
    programs = [];
    own = { script = []; fuel = 0 };
    menu = [];
    forks = false;
    fields = 1;
    static = false;
    leaves = true;
    world = false;
  }

(* {1 Programs without choice} *)

(* The root's object is offered to task 1, and taken back if nobody came. *)
let offered = [ Alloc 0; Fork (0, 1) ]

let scripts ?(domains = 2) ?(static = false) ?(world = false) name programs =
  { plain with name; domains; static; world; programs = List.map does programs }

(* What task 1 stores into is lowered beside it. *)
let lowered_beside =
  scripts ~static:true "lowered beside a store"
    [ [ Alloc 1; Fork (1, 1); Store (0, 0, 1) ]; [ Alloc 1; Store (0, 0, 1) ] ]

(* The same, and what it stores has to be lowered itself. *)
let both_lower =
  scripts ~static:true "two lower"
    [
      [ Alloc 1; Fork (1, 1); Store (0, 0, 1) ];
      [ Alloc 1; Fork (1, 2); Store (0, 0, 1) ];
      [];
    ]

let half_pinned =
  scripts ~static:true "lowered below what is its own"
    [ [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Store (0, 0, 2) ]; [] ]

(* Task 2 stores into what task 1 lowers, the root reaches what it has stored
   and has a fork of the same depth. *)
let outsider =
  scripts ~domains:3 "an outsider"
    [
      offered
      @ [ Load (1, 0, 0); Load (1, 1, 0); Alloc 0; Store (1, 0, 0) ]
      @ [ Fork (0, 3); Join ];
      [ Alloc 1; Fork (1, 2); Store (0, 0, 1); Join ];
      [ Alloc 1; Store (0, 0, 1); Load (1, 0, 0); Load (1, 1, 0) ];
      [];
    ]

let lowered_with_child =
  scripts ~static:true "lowered with a child"
    [ [ Alloc 1; Alloc 2; Store (1, 0, 2); Fork (1, 1); Store (0, 0, 1) ]; [] ]

let old_to_expired =
  scripts "an old object points to an expired one"
    [ [ Alloc 1; Alloc 0; Fork (0, 1); Store (1, 0, 0); Join; Clear 0 ]; [] ]

let expired_to_young =
  scripts "an expired object points to a young one"
    [ offered @ [ Join; Alloc 1; Store (0, 0, 1) ]; [] ]

let lowered_then_joined =
  scripts ~static:true "lowered, then joined"
    [ [ Alloc 1; Fork (1, 1); Store (0, 0, 1); Join ]; [] ]

let published_again =
  scripts "expired, then published"
    [ offered @ [ Join; Alloc 1; Store (1, 0, 0); Fork (1, 2) ]; []; [] ]

let leaves_in_dls =
  scripts "DLS outlives a task" [ offered @ [ Join ]; [ Alloc 1; Set_dls 1 ] ]

let leaves_closure_in_dls =
  scripts "DLS outlives a join" [ offered @ [ Join ]; [ Set_dls 0 ] ]

let filled =
  scripts "filled by the thief"
    [ offered @ [ Join; Load (1, 0, 0) ]; [ Alloc 1; Store (0, 0, 1) ] ]

let filled_by_both =
  scripts "filled by both"
    [
      offered @ [ Alloc 1; Store (0, 0, 1); Join ]; [ Alloc 1; Store (0, 0, 1) ];
    ]

let returns_old =
  scripts "an old result"
    [ offered @ [ Join ]; [ Alloc 0; Alloc 1; Store (0, 0, 1) ] ]

let withdrawn = scripts "withdrawn" [ offered @ [ Clear 0; Join; Clear 1 ]; [] ]

let stops =
  scripts ~world:true "the world stops"
    [
      offered @ [ Alloc 1; Store (0, 0, 1); Join ]; [ Load (1, 0, 0); Alloc 0 ];
    ]

(* {2 What is set apart} *)

let apart ?(domains = 2) name programs =
  { (scripts ~domains name programs) with fields = 2 }

(* Task 1 fills what the fork has not looked at. *)
let filled_apart =
  apart "filled where it was set apart"
    [
      [ Alloc 1; Alloc 2; Store (1, 0, 2); Clear 2; Fork_apart (1, 1) ]
      @ [ Alloc 2; Load (2, 1, 0); Join; Load (2, 1, 0); Load (2, 2, 0) ];
      [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
    ]

(* Task 1 is never begun. Task 2 has what was lent to it (its field 0), and shares
   with it what the second fork has not looked at (its field 1). *)
let lowered_apart =
  apart "lowered where it was set apart"
    [
      [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Alloc 1 ]
      @ [ Store (2, 1, 1); Clear 1; Fork_apart (2, 2); Clear 2; Join; Join ];
      [];
      [ Load (1, 0, 0); Load (2, 0, 1); Store (1, 0, 2) ];
    ]

let apart_twice =
  apart "set apart twice"
    [
      [ Alloc 1; Alloc 2; Store (1, 0, 2); Clear 2; Fork_apart (1, 1) ]
      @ [ Alloc 2; Fork_apart (2, 2); Join; Join ];
      [ Load (1, 0, 0) ];
      [];
    ]

(* Task 3 lowers something in the heap where task 2 does, while that is noted. *)
let lowered_again =
  let c =
    apart "lowered while others' lowering is noted"
      [
        [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Fork (2, 2) ]
        @ [ Clear 1; Alloc 0; Store (0, 0, 2); Clear 2; Fork (0, 3); Clear 0 ]
        @ [ Join; Join; Join ];
        [];
        [ Load (1, 0, 0); Store (1, 1, 0) ];
        [ Load (1, 0, 0); Store (1, 1, 0) ];
      ]
  in
  { c with leaves = false }

(* {2 Cells} *)

let celled =
  scripts "a cell" [ [ Alloc 1; Set_cell 1; Clear 1; Suspend; Get_cell 1 ] ]

(* {2 Joins out of order} *)

(* Task 2 has what was lent to task 1. *)
let older_first =
  scripts ~domains:2 "the older fork is joined first"
    [
      [ Alloc 1; Fork (1, 1); Fork (1, 2); Join_of 1; Clear 0; Clear 1; Join ];
      [];
      [ Alloc 1; Store (0, 0, 1); Load (2, 0, 0) ];
    ]

let older_first_below =
  scripts ~domains:2 "a branch joins out of order"
    [
      [ Alloc 1; Fork (1, 1); Join; Clear 1; Alloc 2 ];
      [ Alloc 1; Fork (1, 2); Fork (1, 3); Join_of 2; Join ];
      [];
      [];
    ]

let stolen_join =
  scripts ~domains:2 "another task joins"
    [
      [ Alloc 1; Fork (1, 1); Join_of 2; Join ];
      [ Alloc 1; Store (0, 0, 1); Alloc 1; Fork (1, 2); Load (2, 1, 0) ];
      [ Alloc 1; Store (0, 0, 1) ];
    ]

(* {1 Programs with choices} *)

let shared = [ Load (1, 0, 0); Store (0, 0, 1); Store (1, 0, 0) ]

let forks n m =
  let alloc = [ Alloc 0; Alloc 1; Load (0, 0, 0); Load (0, 1, 0) ] in
  let programs = [ may ~after:[ Alloc 0 ] n; may m ] in
  { plain with name = "forks"; programs; forks = true; menu = alloc @ shared }

let moves n m =
  let menu = Alloc 1 :: Clear 0 :: Suspend :: shared in
  let programs = [ may ~after:offered n; may m ] in
  { plain with name = "tasks that change domains"; programs; menu }

let dls n m =
  let menu =
    [ Alloc 1; Load (1, 0, 0); Store (0, 0, 1) ]
    @ [ Set_dls 0; Set_dls 1; Get_dls 0; Get_dls 1; Suspend ]
  in
  let programs = [ may ~after:offered n; may m ] in
  { plain with name = "DLS"; programs; menu }

let swaps n m =
  let menu = [ Alloc 1; Load (1, 0, 0); Store (1, 0, 0) ] in
  let menu = Swap (1, 0, 0, 1) :: Swap (0, 1, 0, 0) :: menu in
  let programs = [ may ~after:[ Alloc 1; Fork (1, 1) ] n; may m ] in
  { plain with name = "exchanges"; static = true; programs; menu }

let pairs n m =
  let menu = [ Alloc 1; Load (0, 0, 1); Store (0, 1, 1) ] @ shared in
  let programs = [ may ~after:offered n; may m ] in
  { plain with name = "two fields"; fields = 2; programs; menu }

let world n m =
  let menu = Alloc 1 :: Set_dls 1 :: Get_dls 1 :: shared in
  let programs = [ may ~after:[ Alloc 1; Fork (1, 1) ] n; may m ] in
  { plain with name = "all heaps"; static = true; world = true; programs; menu }

let three n m k =
  let menu = Alloc 1 :: Load (0, 0, 0) :: shared in
  let programs =
    [
      may ~after:(offered @ [ Load (1, 0, 0) ]) n;
      may ~after:[ Alloc 1; Fork (1, 2); Store (0, 0, 1) ] m;
      may ~after:[ Alloc 1; Store (0, 0, 1) ] k;
    ]
  in
  { plain with name = "three tasks"; domains = 3; programs; menu }

(* What runs in the domains' own leaves shares a variable with the tasks. *)
let own n m k =
  let menu =
    Alloc 1 :: Load (1, 0, 0) :: Store (0, 0, 1) :: [ Set_dls 1; Get_dls 1 ]
  in
  let programs =
    [ may ~after:[ Alloc 1; Fork (1, 1); Get_static 0 ] n; may m ]
  in
  let own = may k in
  {
    plain with
    name = "domains' own leaves";
    static = true;
    programs;
    own;
    menu;
  }

(* Tasks 1 and 2 both publish a pair: what the first still lowers the root may find
   by the second. *)
let pair n =
  let root = [ Fork (1, 1); Load (1, 0, 0) ] in
  let menu =
    [ Alloc 2; Load (1, 1, 0); Store (1, 0, 2); Store (0, 0, 1); Clear 2 ]
    @ [ Fork (1, 3); Fork (2, 3); Join ]
  in
  {
    plain with
    name = "a pair that two publish";
    domains = 3;
    static = true;
    programs =
      [
        may ~after:root n;
        does
          ([ Alloc 1; Alloc 2; Store (1, 0, 2); Fork (1, 2) ]
          @ [ Get_static 0; Store (0, 0, 1); Join ]);
        does [ Get_static 1; Store (1, 0, 0) ];
        does [];
      ];
    menu;
  }

(* One below the other: each lowers what the next one shares. *)
let four =
  scripts ~domains:4 "four tasks"
    [
      offered @ [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
      [ Alloc 1; Fork (1, 2); Load (2, 1, 0); Store (0, 0, 2); Join ];
      [ Alloc 1; Alloc 2; Store (1, 0, 2); Fork (1, 3); Store (0, 0, 1); Join ];
      [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
    ]

(* {1 All} *)

let scripted =
  [
    lowered_beside;
    both_lower;
    half_pinned;
    outsider;
    lowered_with_child;
    old_to_expired;
    expired_to_young;
    lowered_then_joined;
    published_again;
    leaves_in_dls;
    leaves_closure_in_dls;
    filled;
    filled_by_both;
    returns_old;
    withdrawn;
    stops;
    filled_apart;
    lowered_apart;
    apart_twice;
    lowered_again;
    celled;
    older_first;
    older_first_below;
    stolen_join;
  ]

let small =
  scripted
  @ [
      forks 2 2;
      moves 2 2;
      dls 2 2;
      swaps 2 2;
      pairs 2 2;
      world 2 1;
      three 0 1 0;
      own 2 1 2;
      pair 1;
    ]

let large =
  [
    forks 4 4;
    moves 4 3;
    dls 3 3;
    swaps 4 3;
    pairs 3 3;
    world 3 3;
    three 1 1 1;
    own 3 2 2;
    pair 3;
    four;
  ]

let second_look = [ lowered_beside; forks 2 2 ]

let fault protocol (fault, scenario) =
  ({ Fault.protocol; fault = Some fault }, scenario)

let faults =
  ({ Fault.protocol = Second_look; fault = None }, outsider)
  :: List.map (fault Second_look)
       Fault.
         [
           (No_second_look, lowered_beside);
           (No_fence_before_second_look, lowered_beside);
           (No_fence_in_lowering, lowered_beside);
         ]
  @ List.map (fault Exclusive)
      Fault.
        [
          (Unannounced, lowered_beside);
          (Announced_without_fence, lowered_beside);
          (Nobody_awaited, lowered_beside);
          (Lock_while_announced, both_lower);
          (Level_not_read_again, both_lower);
          (Half_walk_forgotten, half_pinned);
          (Children_not_lowered, lowered_with_child);
          (Lowers_nothing, lowered_beside);
          (Pinned_counts_as_private, filled_by_both);
          (One_deeper, lowered_then_joined);
          (Expired_moves, old_to_expired);
          (Expired_not_remembered, expired_to_young);
          (Lowered_expires, lowered_then_joined);
          (Expired_counts_as_pinned, published_again);
          (Switch_publishes_nothing, leaves_in_dls);
          (Switch_publishes_own_only, leaves_closure_in_dls);
          (Finished_before_switch, leaves_in_dls);
          (Merged_too_early, filled);
          (Log_not_merged, filled);
          (Remembered_not_merged, returns_old);
          (Closure_read_late, withdrawn);
          (Global_forgets_offers, stops);
          (Global_pins_nothing, stops);
          (Apart_moves, filled_apart);
          (Apart_brought_back_early, apart_twice);
          (Apart_lowered_not_noted, lowered_apart);
          (Lowered_not_noted, lowered_again);
          (Untouched_without_fence, lowered_again);
          (Cell_no_root, celled);
          (Disordered_expires, older_first);
          (Disorder_not_merged, older_first_below);
        ]
