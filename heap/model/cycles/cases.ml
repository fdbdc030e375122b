open State
open Access
open Scenario
open Scripts
open Weak_scripts
open Leaf_cases

let menu = [ Load (1, 0, 0); Store (0, 0, 1); Erase (0, 0); Clear 1 ]

let moves n m =
  let menu = Load (1, 1, 0) :: Store (1, 0, 1) :: Erase (1, 0) :: menu in
  let domains = [ may variable n; may variable m ] in
  { plain with name = "moves"; domains; menu }

let variables n m =
  let regs = [ 1; 2; nil ] in
  {
    plain with
    name = "two variables";
    statics = 2;
    heap = [ [ 3 ]; [ nil ]; [ nil ] ];
    domains = [ may regs n; may regs m ];
    menu =
      [ Load (2, 0, 0); Load (2, 1, 0); Store (0, 0, 2); Store (1, 0, 2) ]
      @ [ Erase (0, 0); Erase (1, 0); Clear 2 ];
  }

let new_ones n m =
  let menu = Alloc 2 :: Store (2, 0, 1) :: Store (0, 0, 2) :: Clear 2 :: menu in
  let domains = [ may variable n; may variable m ] in
  { plain with name = "publications"; domains; menu }

let exchanges n m =
  let menu = [ Alloc 2; Exchange (1, 0, 0, 2); Exchange (2, 0, 0, 1) ] in
  let menu = Load (2, 1, 0) :: Store (2, 0, 1) :: Clear 2 :: menu in
  let domains = [ may variable n; may variable m ] in
  { plain with name = "exchanges"; domains; menu }

let pairs n m =
  let domains = [ may variable n; may variable m ] in
  {
    plain with
    name = "two fields";
    heap = [ [ 2; nil ]; [ nil; nil ] ];
    fields = 2;
    domains;
    menu = Load (1, 0, 1) :: Store (0, 1, 1) :: Erase (0, 1) :: menu;
  }

let cycles n m =
  let menu = Alloc 2 :: Store (2, 0, 1) :: Store (0, 0, 2) :: menu in
  {
    plain with
    name = "two cycles";
    heap = [ [ 2 ]; [ nil ]; [ 4 ]; [ 3 ] ];
    domains = [ may variable n; may variable m ];
    menu;
    garbage = true;
    cycles = 2;
  }

let changes n m =
  {
    plain with
    name = "tasks that change domains";
    tasks = [ may ~after:[ Load (1, 0, 0) ] variable n; may variable m ];
    menu =
      [ Set_dls 1; Get_dls 1; Suspend; Fork (1, 1); Fork_apart (2, 1) ]
      @ (Alloc 2 :: Store (2, 0, 1) :: menu);
  }

let twice n m =
  let c = changes n m in
  { c with name = "tasks that live through two cycles"; cycles = 2 }

let roots n m =
  let c = changes n m in
  { c with name = "C's roots"; menu = Set_root 1 :: Get_root 1 :: c.menu }

let apart n m =
  { (changes n m) with name = "garbage is set apart"; garbage = true }

let own n m =
  {
    (changes n m) with
    name = "domains' own leaves";
    domains = [ may variable 1; may variable 1 ];
  }

let three n m k =
  let domains = [ may variable n; may variable m; may variable k ] in
  { plain with name = "three domains"; domains; menu }

let comings n m =
  {
    plain with
    name = "domains that come and go";
    domains = [ may variable n; may variable m; may [ nil; nil ] 1 ];
    spawned = 1;
    menu = End :: Spawn (0, 2) :: Spawn (1, 2) :: menu;
  }

(* {1 Weak pointers} *)

let weak_menu =
  [ Load (1, 0, 0); Load (2, 1, 0); Store (1, 0, 2); Erase (1, 0) ]
  @ [ Store (0, 0, 2); Clear 1; Clear 2 ]

(* o2 is weak, and has the key o3. *)
let keys n m =
  {
    plain with
    name = "weak pointers";
    heap = [ [ 2 ]; [ 3 ]; [ 4 ]; [] ];
    weak = [ 2 ];
    domains = [ may variable n; may variable m ];
    menu = Load (2, 2, 0) :: weak_menu;
  }

let new_weak n m =
  let c = keys n m in
  {
    c with
    name = "new weak objects";
    menu = Alloc_weak 1 :: Store (0, 0, 1) :: c.menu;
  }

(* Two weak objects, each with keys and data. *)
let data n m =
  {
    plain with
    name = "ephemerons";
    statics = 2;
    heap = [ [ 3 ]; [ 4 ]; [ 5; 6 ]; [ 6; 7 ]; []; [ 5 ]; [ nil ] ];
    weak = [ 3; 4 ];
    domains = [ may [ 1; nil; nil ] n; may [ 2; nil; nil ] m ];
    menu =
      [ Load (1, 0, 0); Load (2, 1, 0); Load (2, 1, 1); Erase (1, 1) ]
      @ [ Store (0, 0, 2); Clear 1; Clear 2 ];
  }

let weak_tasks n m =
  let after = [ Alloc_weak 2; Load (1, 0, 0); Store (2, 0, 1); Erase (0, 0) ] in
  {
    plain with
    name = "weak pointers of tasks";
    tasks = [ may ~after variable n; may variable m ];
    menu =
      [ Load (1, 2, 0); Clear 1; Store (0, 0, 1); Suspend ]
      @ [ Fork (2, 1); Fork_apart (2, 1) ];
  }

let weak_twice n m =
  let c = weak_tasks n m in
  { c with name = "weak pointers through two cycles"; cycles = 2 }

let finalisers n m =
  let regs = [ 1; nil; nil ] in
  {
    plain with
    name = "finalisers";
    heap = [ [ 2 ]; [ 3 ]; [ nil ] ];
    domains = [ may regs n; may ~after:told regs m; idle ];
    menu = [ Finaliser 1; Load (2, 1, 0); Erase (1, 0); Store (0, 0, 2); End ];
    garbage = true;
  }

let conts n m =
  let menu = [ Load (1, 0, 0); Store (0, 0, 1); Store (0, 0, 2); Clear 2 ] in
  let domains = [ may variable n; may variable m ] in
  {
    plain with
    name = "continuations";
    domains;
    menu = Capture (2, 1) :: Resume (2, 1) :: Resume (1, 2) :: menu;
  }

let conts_of_tasks n m =
  let after = [ Load (1, 0, 0); Erase (0, 0); Capture (2, 1); Clear 1 ] in
  let menu = [ Resume (1, 2); Store (0, 0, 2); Clear 2; Suspend ] in
  {
    plain with
    name = "continuations of tasks";
    tasks = [ may ~after variable n; may [ nil; 1; nil ] m ];
    menu = [ Fork (2, 1); Fork_apart (2, 1); Store (1, 0, 0) ] @ menu;
    domains = [ idle; does variable [ Load (1, 0, 0); Resume (2, 1) ] ];
  }

let small =
  Scripts.scripted @ Weak_scripts.scripted @ Chunk_scripts.scripted
  @ Cont_scripts.scripted @ Leaf_scripts.scripted
  @ [
      moves 2 1;
      variables 1 3;
      new_ones 2 1;
      exchanges 2 1;
      pairs 1 1;
      cycles 1 1;
      changes 1 1;
      twice 1 1;
      roots 1 1;
      apart 1 1;
      comings 1 1;
      keys 2 1;
      new_weak 1 1;
      data 2 1;
      weak_tasks 1 1;
      weak_twice 1 0;
      finalisers 1 2;
      chunks 1 0;
      again 1 0;
      told_again 2 0;
      remembered 1 0;
      large_ones 1 0;
      conts 2 1;
      conts_of_tasks 1 0;
    ]

let large =
  [
    moves 4 2;
    variables 2 4;
    new_ones 3 3;
    exchanges 3 3;
    pairs 3 3;
    cycles 3 1;
    changes 3 2;
    twice 2 1;
    roots 2 2;
    apart 2 2;
    own 1 1;
    three 1 1 1;
    comings 2 2;
    keys 3 3;
    new_weak 2 2;
    data 3 2;
    weak_tasks 3 2;
    weak_twice 2 1;
    finalisers 3 3;
    chunks 2 0;
    again 2 0;
    again_twice 1 0;
    told_again 4 0;
    again_in_chunks 1 0;
    Leaf_scripts.shared_dies;
    Leaf_scripts.shared_lives;
    several_keys 1 0;
    remembered 2 1;
    staying 1 0;
    large_ones 3 0;
    conts 4 2;
    conts_of_tasks 2 1;
  ]
