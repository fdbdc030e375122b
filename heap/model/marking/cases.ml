open State
open Scenario
open Scripts

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

let apart n m =
  { (changes n m) with name = "what is dead is set apart"; garbage = true }

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

let small =
  scripted
  @ [
      moves 2 1;
      variables 1 3;
      new_ones 2 1;
      pairs 1 1;
      cycles 1 1;
      changes 1 1;
      apart 1 1;
      comings 1 1;
    ]

let flipped = [ late_grey; late_for_the_end; cycles 1 1 ]

let large =
  let two scenario = (Rule.exchanges, scenario) in
  let three_ scenario = (Rule.settles, scenario) in
  [
    two (moves 4 3);
    two (variables 2 4);
    two (new_ones 3 3);
    two (pairs 3 3);
    two (cycles 3 2);
    two (changes 3 2);
    two (apart 2 2);
    two (own 2 1);
    two (three 2 2 2);
    two (comings 3 2);
    three_ (moves 3 3);
    three_ (variables 1 4);
    three_ (new_ones 3 2);
    three_ (changes 3 2);
    three_ (comings 2 2);
  ]

let faults =
  let open Rule in
  let without rule scenario = (exchanges, rule, scenario) in
  [
    without Barriers_first no_barrier;
    without Exchanges stale;
    (settles, Settles, stale);
    without Greys_overwritten no_barrier;
    without Greys_stored into_traced;
    without Lent_too out_of_lent;
    without White_early leaves_it;
    without Black_late publishes;
    without Grey_if_lent published_by_branch;
    without Marks_first publishes;
    without Scans_private keeps_privately;
    without Scans_lent lent;
    without Drops_dead apart_dead;
    without Takes_buffers greyed_late;
    without Checks_again greyed_later;
    without Awaits_end late_for_the_end;
    (flips, Awaits_end, late_grey);
    without Scans_waiting waiting;
    without Scans_entered to_dls;
    without Scans_joined result;
    without Answers_first from_dls;
    without Inherits spawned;
    without Gives_at_end ended;
  ]
