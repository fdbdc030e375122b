open State
open Scenario
open Scripts

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

(* The programs of the domains' own leaves share a static variable with the
   tasks. *)
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

(* Tasks 1 and 2 both publish a pair. The root may read from task 2 an object
   that task 1 is still lowering. *)
let pair n =
  let root = [ Fork (1, 1); Load (1, 0, 0) ] in
  let menu =
    [ Alloc 2; Load (1, 1, 0); Store (1, 0, 2); Store (0, 0, 1); Clear 2 ]
    @ [ Fork (1, 3); Fork (2, 3); Join ]
  in
  {
    plain with
    name = "a pair that two tasks publish";
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

(* An object may belong to the first branch, to the second branch, or to
   neither. *)
let parted n m =
  let menu =
    [
      Alloc 1; Load (0, 0, 0); Load (1, 0, 1); Store (0, 0, 1); Store (0, 1, 1);
    ]
    @ [ Fork_apart (0, 2); Fork (1, 2) ]
  in
  let root = [ Alloc 0; Alloc 1; Store (0, 1, 1); Fork_apart (0, 1) ] in
  let programs = [ may ~after:root n; may m; does [ Load (1, 0, 1) ] ] in
  { plain with name = "objects set apart"; fields = 2; programs; menu }

(* The first join may put expiry off: the second branch then finds the pins
   still set. *)
let put_off n m =
  let root = [ Alloc 0; Alloc 1; Store (0, 0, 1); Fork (0, 1); Join ] in
  let first = does [ Alloc 1; Store (0, 0, 1) ] in
  {
    (forks n m) with
    name = "joins that put off";
    programs = [ may ~after:root n; first; may m ];
    puts_off = true;
  }

let put_off_apart n m =
  let c = parted n m in
  { c with name = "set apart, and put off"; puts_off = true }

let unordered n m =
  let menu = Alloc 1 :: Set_cell 1 :: Get_cell 1 :: Clear 1 :: shared in
  let menu = Fork (1, 3) :: Join_of 1 :: Join_of 2 :: Join_of 3 :: menu in
  let root = [ Alloc 1; Fork (1, 1); Fork (1, 2) ] in
  let last = does [ Alloc 1; Store (0, 0, 1) ] in
  let programs = [ may ~after:root n; may m; last; last ] in
  { plain with name = "joins out of order, cells"; programs; menu }

(* Forks one after the other and one below the other. Any fork may set apart
   (bulk-pin) its heap; any fork may be joined before newer forks; any join may
   put expiry off. *)
let sequences name ~domains after fuels =
  let menu = [ Alloc 1; Store (1, 0, 0); Store (0, 0, 1); Load (0, 0, 0) ] in
  let root = may ~after:(Alloc 0 :: after) (List.hd fuels) in
  let below = List.map (fun fuel -> may fuel) (List.tl fuels) in
  {
    plain with
    name;
    domains;
    programs = root :: below;
    menu = Join_oldest :: menu;
    forks = true;
    fork_apart = true;
    leaves = false;
    puts_off = true;
  }

let series n = sequences "a series of forks" ~domains:1 [] [ n; 0; 0; 0 ]
let nested n m k = sequences "nested forks" ~domains:2 [] [ n; m; k; 0 ]

let nested_in_collections n m =
  let c = sequences "nested forks, collections" ~domains:2 [] [ n; m; 0 ] in
  { c with leaves = true; world = true }

let nested_deepest n m =
  let name = "forks below the deepest" in
  { (sequences name ~domains:2 [] [ n; m; 0; 0 ]) with deepest = 2 }

(* The first task borrows an object, and the second task sets the same object
   apart. *)
let lent_apart n m =
  let after = [ Fork (0, 1); Alloc 1; Store (0, 0, 1); Fork_apart (1, 2) ] in
  sequences "lent, and set apart" ~domains:3 after [ n; m; 1; 0 ]

(* The join of the second fork puts an object's expiry off. The third fork sets
   the object apart, and the third fork's task may share it with all tasks. *)
let left_apart n m =
  let after =
    [ Fork (0, 1); Alloc 2; Fork (2, 2); Join; Join ]
    @ [ Alloc 1; Store (1, 0, 2); Clear 2; Fork_apart (1, 3) ]
  in
  let c =
    sequences "left, set apart, and shared" ~domains:2 after [ n; 0; 0; m; 0 ]
  in
  { c with static = true; menu = Get_static 0 :: c.menu }

(* Four tasks, each the child of the task before. Each task lowers an object
   that the next task shares. *)
let four =
  scripts ~domains:4 "four tasks"
    [
      offered @ [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
      [ Alloc 1; Fork (1, 2); Load (2, 1, 0); Store (0, 0, 2); Join ];
      [ Alloc 1; Alloc 2; Store (1, 0, 2); Fork (1, 3); Store (0, 0, 1); Join ];
      [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
    ]

(* {1 All} *)

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
      parted 1 1;
      put_off 1 1;
      put_off_apart 1 1;
      unordered 1 1;
      series 4;
      nested 3 1 1;
      nested_in_collections 3 1;
      nested_deepest 3 1;
      lent_apart 0 1;
      left_apart 1 1;
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
    parted 3 2;
    put_off 3 2;
    put_off_apart 2 2;
    unordered 2 2;
    series 7;
    nested 4 2 0;
    nested_in_collections 3 3;
    nested_deepest 4 2;
    lent_apart 1 2;
    left_apart 2 2;
    four;
  ]

let lowering = scripted @ [ forks 2 2; parted 1 1 ]
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
  @ [ fault Exclusive (Fault.Announced_without_fence, lowered_beside) ]
  @ List.map (fault Asymmetric)
      Fault.
        [
          (Unannounced, lowered_beside);
          (Others_fenced_early, lowered_beside);
          (Nobody_awaited, lowered_beside);
          (Level_read_early, lowered_and_joined);
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
          (Global_till_later_join, stops_between);
          (Apart_moves, filled_apart);
          (Apart_brought_back_early, apart_twice);
          (Apart_lowered_not_noted, lowered_apart);
          (Lowered_not_noted, lowered_again);
          (Untouched_without_fence, lowered_again);
          (Cell_no_root, celled);
          (Closed_early_expires, older_first);
          (Closed_early_decrements, older_first);
          (Closed_early_forgotten, older_first);
          (Apart_expires, lowered_stale);
          (Apart_not_kept, apart_again);
          (Apart_made_deeper, apart_twice);
          (Expired_before_brought_back, lowered_late);
          (Put_off_forgotten, apart_again);
          (Put_off_expires, filled_beside);
          (Apart_left_deeper, less_deep);
          (Expired_not_again, apart_again_around);
          (Deeper_not_again, deeper_around);
          (Again_not_noted, apart_again_around);
          (Lowered_not_merged, lowered_merged);
          (Lowered_merged_unlocked, lowered_merged);
          (Disordered_expires, stolen_join);
          (Disorder_not_merged, stolen_below);
        ]
