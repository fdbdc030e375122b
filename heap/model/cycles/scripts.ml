open State
open Access
open Scenario

let does regs script = { regs; script; fuel = 0 }
let may ?(after = []) regs fuel = { regs; script = after; fuel }
let idle = does [ nil; nil; nil ] []

let plain =
  {
    name = "";
    tasks = [];
    domains = [ idle; idle ];
    spawned = 0;
    menu = [];
    statics = 1;
    heap = [ [ 2 ]; [ nil ] ];
    fields = 1;
    weak = [];
    chunks = false;
    garbage = false;
    cycles = 1;
  }

(* {1 Programs without choice}: register 0 begins with the variable, o1. *)

let variable = [ 1; nil; nil ]

let scripts name domains =
  { plain with name; domains = List.map (does variable) domains }

(* Afterwards only the calling domain holds o2. *)
let takes_out = [ Load (1, 0, 0); Erase (0, 0) ]

let no_barrier =
  scripts "no barrier yet" [ [ Erase (0, 0) ]; [ Load (1, 0, 0) ] ]

(* Domain 0 reads a value; by the time of its store, the field has another
   value. *)
let stale =
  let regs = [ 1; 2; nil ] in
  let moves = [ Load (2, 1, 0); Store (0, 0, 2); Erase (1, 0); Clear 2 ] in
  {
    plain with
    name = "a field that two domains write";
    statics = 2;
    heap = [ [ 3 ]; [ 4 ]; [ nil ]; [ nil ] ];
    domains =
      [ does regs [ Erase (0, 0) ]; does regs (moves @ [ Load (2, 0, 0) ]) ];
  }

(* Only domain 1 holds o2, and stores it into a new object. *)
let leaves_it =
  let stores = [ Load (2, 0, 0); Store (2, 0, 1); Clear 1 ] in
  {
    plain with
    name = "stored into a new object";
    heap = [ [ nil ]; [ nil ] ];
    domains =
      [ does variable [ Alloc 1; Store (0, 0, 1) ]; does [ 1; 2; nil ] stores ];
  }

(* Domain 1 stores o2 into the variable. Domain 2 reads o2 from there. Domain 0
   overwrites o2 unseen. *)
let handed_on =
  {
    plain with
    name = "stored, and overwritten unseen";
    heap = [ [ nil ]; [ nil ] ];
    domains =
      [
        does variable [ Erase (0, 0) ];
        does [ 1; 2; nil ] [ Store (0, 0, 1); Clear 1 ];
        does variable [ Load (1, 0, 0) ];
      ];
  }

let publishes = scripts "publishes" [ [ Alloc 1; Store (0, 0, 1) ]; [] ]

let keeps_privately =
  let keeps = [ Load (1, 0, 0); Alloc 2; Store (2, 0, 1); Clear 1 ] in
  scripts "kept by a private object" [ keeps @ [ Erase (0, 0) ]; [] ]

let takes_room =
  let keeps = [ Alloc 2; Store (2, 0, 1); Clear 1 ] in
  scripts "kept where another domain has been scanned"
    [ Load (1, 0, 0) :: Erase (0, 0) :: keeps; [] ]

let chain n = List.init n (fun i -> [ (if i + 1 < n then i + 2 else nil) ])

let greyed_late =
  let reads = [ Load (1, 0, 0); Erase (0, 0); Load (2, 1, 0) ] in
  { (scripts "greyed late" [ reads; [] ]) with heap = chain 3 }

let greyed_later =
  let reads = [ Load (1, 0, 0); Load (2, 1, 0); Erase (1, 0) ] in
  {
    (scripts "greyed after the buffer was taken" [ reads; [ Erase (0, 0) ] ]) with
    heap = chain 4;
  }

let swept_late =
  {
    (scripts "swept when the next cycle begins"
       [ [ Alloc 1; Store (0, 0, 1) ]; [] ])
    with
    cycles = 2;
  }

let late_for_the_end =
  let publishes = [ Alloc 2; Store (2, 0, 1); Store (0, 0, 2) ] in
  let script = takes_out @ publishes @ [ Clear 1; Clear 2 ] in
  { (scripts "a domain that misses the end" [ script; [] ]) with cycles = 2 }

(* The domain publishes an object that leads to o2, before the domain has
   answered the first handshake. *)
let greets_late =
  let publishes = [ Alloc 2; Store (2, 0, 1); Clear 1; Store (0, 0, 2) ] in
  scripts "published before the domain has greeted"
    [ takes_out @ publishes @ [ Clear 2 ]; [] ]

(* {2 Tasks} *)

let tasks name programs = { plain with name; tasks = programs }
let root = does variable

(* A task begins with the variable in register 1. *)
let branch = does [ nil; 1; nil ]

let forks_with_private =
  [ Load (1, 0, 0); Alloc 2; Store (2, 0, 1); Erase (0, 0); Fork (2, 1) ]
  @ [ Clear 1; Clear 2 ]

let lent = tasks "lent" [ root forks_with_private; branch [] ]

(* Domain 1 takes o2 out of a lent object. *)
let out_of_lent =
  let lends = [ Alloc 2; Store (2, 0, 1); Fork (2, 1); Clear 1 ] in
  let script = (Load (1, 0, 0) :: Erase (0, 0) :: lends) @ [ Erase (2, 0) ] in
  tasks "taken out of a lent object" [ root script; branch [ Load (2, 0, 0) ] ]

let joined = tasks "joined" [ root [ Alloc 2; Fork (2, 1); Join ]; branch [] ]

let apart_late =
  tasks "set apart after the scan"
    [ root [ Alloc 2; Fork_apart (2, 1) ]; branch [] ]

let apart_dead =
  let dies = [ Load (1, 0, 0); Alloc 2; Store (2, 0, 1); Clear 1; Clear 2 ] in
  let script = dies @ [ Erase (0, 0); Alloc 2; Fork_apart (2, 1) ] in
  {
    (tasks "dead objects set apart" [ root script; branch [] ]) with
    garbage = true;
  }

let waiting = tasks "suspended" [ root (takes_out @ [ Suspend ]) ]

let to_dls =
  let script = [ Suspend; Set_dls 1; Clear 1; Suspend ] in
  tasks "resumed, to DLS" [ root (takes_out @ script) ]

(* A store into an object that the scan of the branch's leaf has marked. *)
let into_joined =
  let joins =
    [ Alloc 2; Fork (2, 1); Clear 2; Join; Store (0, 0, 1); Clear 1 ]
  in
  tasks "kept by a joined task" [ root (takes_out @ joins); branch [ Alloc 0 ] ]

let in_c =
  let script = [ Load (1, 0, 0); Alloc 2; Store (2, 0, 1); Set_root 2 ] in
  let script = script @ [ Erase (0, 0); Clear 1; Clear 2; Suspend ] in
  tasks "suspended, and held by C" [ root script ]

let result =
  tasks "a result"
    [
      branch [ Alloc 2; Fork (2, 1); Clear 2; Join ];
      branch [ Load (2, 1, 0); Alloc 0; Store (0, 0, 2); Erase (1, 0) ];
    ]

let offered =
  tasks "offered" [ root (takes_out @ [ Fork (1, 1); Clear 1 ]); branch [] ]

(* {2 Domains} *)

let spawned =
  {
    plain with
    name = "spawned";
    domains =
      [
        root [ Spawn (0, 1); Load (1, 0, 0) ];
        does [ nil; nil ] [ Erase (0, 0) ];
      ];
    spawned = 1;
  }

let ended =
  let reads = [ Load (1, 0, 0); Load (2, 1, 0) ] in
  let ends = [ Erase (0, 0); End ] in
  { (scripts "ended" [ reads; ends; [] ]) with heap = chain 3 }

(* Domain 1 runs the branch, and shares for good the object that was lent to
   it. *)
let ended_late =
  let lends = root [ Alloc 2; Fork (2, 1) ] in
  {
    (tasks "lowered, and ended" [ lends; branch [ Store (1, 0, 0) ] ]) with
    domains = [ idle; root [ End ] ];
  }

let finalised =
  {
    (scripts "a finaliser of an ended domain"
       [ []; [ Alloc 1; Finalise 1; Clear 1; End ]; [] ])
    with
    heap = [ [ nil ] ];
  }

(* Once one heap is left, variables may point to private objects. *)
let left_alone =
  let keeps = [ Load (1, 0, 0); Alloc 2; Store (2, 0, 1); Store (0, 0, 2) ] in
  scripts "left alone" [ keeps @ [ Clear 1; Clear 2 ]; [ End ] ]

let scripted =
  [
    no_barrier;
    stale;
    leaves_it;
    handed_on;
    publishes;
    keeps_privately;
    takes_room;
    greyed_late;
    greyed_later;
    swept_late;
    late_for_the_end;
    greets_late;
    lent;
    out_of_lent;
    joined;
    apart_late;
    apart_dead;
    waiting;
    to_dls;
    into_joined;
    in_c;
    result;
    offered;
    spawned;
    ended;
    ended_late;
    finalised;
    left_alone;
  ]
