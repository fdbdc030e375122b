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
    fork_apart = false;
    fields = 1;
    static = false;
    leaves = true;
    world = false;
    puts_off = false;
    deepest = 62;
  }

(* {1 Programs without choice} *)

(* The root offers its object to task 1. The join takes the object back if no
   domain took the task. *)
let offered = [ Alloc 0; Fork (0, 1) ]

let scripts ?(domains = 2) ?(static = false) ?(world = false) name programs =
  { plain with name; domains; static; world; programs = List.map does programs }

(* The root lowers an object beside a store of task 1 into that object. *)
let lowered_beside =
  scripts ~static:true "lowered beside a store"
    [ [ Alloc 1; Fork (1, 1); Store (0, 0, 1) ]; [ Alloc 1; Store (0, 0, 1) ] ]

(* Like [lowered_beside]; the object stored by task 1 must be lowered too. *)
let both_lower =
  scripts ~static:true "two domains lower"
    [
      [ Alloc 1; Fork (1, 1); Store (0, 0, 1) ];
      [ Alloc 1; Fork (1, 2); Store (0, 0, 1) ];
      [];
    ]

let half_pinned =
  scripts ~static:true "lowered below a private object"
    [ [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Store (0, 0, 2) ]; [] ]

(* Task 2 stores an object [x] into an object that task 1 lowers. The root loads
   [x], stores into [x], and forks and joins at the depth of task 1's fork. *)
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

(* Task 1 lowers an object while task 2 stores into it. The object is below the
   third fork, which the root joins. *)
let lowered_and_joined =
  let c =
    scripts ~domains:3 ~static:true "lowered beside a store and a join"
      [
        [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Fork (2, 2) ]
        @ [ Clear 1; Alloc 0; Store (0, 0, 2); Fork (0, 3); Join; Join; Join ];
        [ Get_static 1; Store (1, 0, 0) ];
        [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
        [];
      ]
  in
  { c with leaves = false }

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

(* Task 2 gets an object of task 1 through an object that the root lent to
   both. *)
let stops_between =
  scripts ~world:true "the world stops between two branches"
    [
      [ Alloc 1; Fork (1, 1); Fork (1, 2); Join; Join ];
      [ Alloc 1; Store (0, 0, 1); Suspend ];
      [ Load (1, 0, 0); Alloc 2; Store (0, 0, 2) ];
    ]

(* {2 Setting apart} *)

let apart ?(domains = 2) name programs =
  { (scripts ~domains name programs) with fields = 2 }

(* Task 1 fills an object that the fork has not walked. *)
let filled_apart =
  apart "filled where it was set apart"
    [
      [ Alloc 1; Alloc 2; Store (1, 0, 2); Clear 2; Fork_apart (1, 1) ]
      @ [ Alloc 2; Load (2, 1, 0); Join; Load (2, 1, 0); Load (2, 2, 0) ];
      [ Load (1, 0, 0); Alloc 2; Store (1, 0, 2) ];
    ]

(* No domain begins task 1. Task 2 holds a lent object (its field 0), and stores
   it into an object that the second fork has not walked (its field 1). *)
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

(* Task 3 lowers a pin in the heap where task 2 lowers one, while the owner
   notes the latter. *)
let lowered_again =
  let c =
    apart "lowered while lowered pins are noted"
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

(* An object whose pin has expired lies beside a hole. *)
let apart_again_around =
  apart "pinned again around a hole"
    [
      [ Alloc 1; Fork (1, 1); Join; Alloc 2; Store (2, 0, 1); Clear 1 ]
      @ [ Fork_apart (2, 2); Clear 2; Join; Load (1, 0, 0) ];
      [];
      [ Load (1, 0, 0) ];
    ]

(* {2 Joins that put expiry off} *)

let puts_off c = { c with puts_off = true }

(* A store puts an ordinary object into a set-apart object. *)
let filled_beside =
  puts_off
    (apart "filled beside objects set apart"
       [ [ Alloc 1; Fork_apart (1, 1); Alloc 2; Store (1, 0, 2); Join ]; [] ])

let less_deep =
  puts_off
    (apart "a fork that is less deep"
       [
         [ Alloc 1; Fork (1, 1); Alloc 2; Fork_apart (2, 2); Join; Join ]
         @ [ Fork (2, 3) ];
         [];
         [];
         [];
       ])

let deeper_around =
  puts_off
    (apart "pinned again, less deep, around a hole"
       [
         [ Alloc 1; Fork (1, 1); Alloc 2; Fork (2, 2); Join; Join; Alloc 1 ]
         @ [ Store (1, 0, 2); Clear 2; Fork_apart (1, 3) ];
         [];
         [];
         [ Load (1, 0, 0) ];
       ])

(* The third fork takes over the object that the second fork set apart. The
   third fork is as deep as the first. *)
let apart_again =
  puts_off
    (apart "set apart again, less deep"
       [
         [ Alloc 1; Fork (1, 1); Alloc 2; Fork_apart (2, 2); Clear 1 ]
         @ [ Join; Join; Alloc 1; Store (1, 0, 2); Fork_apart (1, 3) ];
         [];
         [];
         [];
       ])

(* Like [apart_again]; the lowered object points to an object that expires at
   the first join. *)
let lowered_late =
  puts_off
    (apart "lowered where it stays set apart"
       [
         [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Alloc 0 ]
         @ [ Store (0, 0, 1); Store (2, 1, 0); Clear 0; Clear 1 ]
         @ [ Fork_apart (2, 2); Clear 2; Join; Join ];
         [];
         [ Load (1, 0, 0); Load (2, 0, 1); Store (1, 0, 2) ];
       ])

(* The object of the second fork, whose pin is deeper by then, is set apart for
   the third fork. The task of the third fork lowers the object while its old
   pin expires. *)
let lowered_stale =
  let c =
    apart "lowered while pins put off expire"
      [
        [ Get_static 0; Fork (0, 1); Alloc 2; Fork (2, 2); Join; Join; Alloc 1 ]
        @ [ Store (1, 0, 2); Clear 2; Fork_apart (1, 3); Clear 1; Fork (0, 4) ]
        @ [ Join; Join ];
        [];
        [];
        [ Load (1, 0, 0); Get_static 0; Store (0, 0, 1) ];
        [];
      ]
  in
  puts_off { c with static = true }

(* Task 2 lowers an object that the root has set apart, while the root joins
   task 3, in whose heap an object was lowered too. *)
let lowered_merged =
  let c =
    apart ~domains:3 "lowered while lowered pins are merged"
      [
        [ Alloc 1; Fork (1, 1); Alloc 2; Store (2, 0, 1); Alloc 1 ]
        @ [ Store (2, 1, 1); Clear 1; Fork_apart (2, 2); Fork (2, 3) ]
        @ [ Clear 2; Join ];
        [];
        [ Load (1, 0, 0); Load (2, 0, 1); Store (1, 0, 2) ];
        [ Alloc 1; Alloc 2; Store (1, 0, 2); Fork_apart (1, 4) ]
        @ [ Store (0, 0, 2); Join ];
        [];
      ]
  in
  puts_off { c with leaves = false }

(* {2 Cells} *)

let celled =
  scripts "a cell" [ [ Alloc 1; Set_cell 1; Clear 1; Suspend; Get_cell 1 ] ]

(* {2 Joins out of order} *)

(* Task 2 holds the object that was lent to task 1. *)
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

(* Task 2 joins a fork of task 1. *)
let stolen_below =
  scripts ~domains:3 "a branch's fork is joined elsewhere"
    [
      [ Alloc 1; Fork (1, 1); Fork (1, 2); Join; Join ];
      [ Alloc 1; Fork (1, 3); Alloc 1; Store (0, 0, 1) ];
      [ Join_of 3 ];
      [];
    ]

let stolen_join =
  scripts ~domains:2 "another task joins"
    [
      [ Alloc 1; Fork (1, 1); Join_of 2; Join ];
      [ Alloc 1; Store (0, 0, 1); Alloc 1; Fork (1, 2); Load (2, 1, 0) ];
      [ Alloc 1; Store (0, 0, 1) ];
    ]

let scripted =
  [
    lowered_beside;
    both_lower;
    half_pinned;
    outsider;
    lowered_and_joined;
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
    stops_between;
    filled_apart;
    lowered_apart;
    apart_twice;
    lowered_again;
    apart_again_around;
    filled_beside;
    less_deep;
    deeper_around;
    apart_again;
    lowered_late;
    lowered_merged;
    lowered_stale;
    celled;
    older_first;
    older_first_below;
    stolen_below;
    stolen_join;
  ]
