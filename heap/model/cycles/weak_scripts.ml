open State
open Access
open Scenario
open Scripts

(* o1 leads to a weak object, o2. The fields of the weak object stand first in
   [heap]. *)

let weakly name heap domains =
  { (scripts name domains) with heap = [ 2 ] :: heap; weak = [ 2 ] }

let gets = [ Load (1, 0, 0); Load (2, 1, 0) ]
let list_key = [ [ 3 ]; [ 4 ]; [ nil ] ]
let read_weakly = weakly "a key that is read" list_key [ gets; [] ]

let nobody_reads =
  {
    (weakly "a key that no domain reads" list_key [ []; [] ]) with
    garbage = true;
  }

(* The key of the data has no fields. *)
let data_of_key =
  weakly "data of a key that is read" [ [ 3; 4 ]; []; [ nil ] ] [ gets; [] ]

let data_is_read =
  weakly "data that is read, of a dead key"
    [ [ 3; 1 ]; [ nil ] ]
    [ [ Load (1, 0, 0); Load (2, 1, 1) ]; [] ]

let key_is_set =
  weakly "a key that is set meanwhile"
    [ [ 3; nil ]; [ nil ] ]
    [ [ Load (1, 0, 0); Load (2, 1, 1) ]; [ Load (1, 0, 0); Store (1, 0, 0) ] ]

let keys_of_data =
  {
    plain with
    name = "a key that data holds";
    statics = 3;
    heap = [ [ 4 ]; [ 5 ]; [ 7 ]; [ 6; 8 ]; [ 7; 6 ]; []; []; [ nil ] ];
    weak = [ 4; 5 ];
  }

(* o3 lives, and o4 is garbage. *)
let two_keys =
  {
    plain with
    name = "two keys, one alive";
    statics = 2;
    heap = [ [ 3 ]; [ 4 ]; [ 4; 6; 5 ]; []; []; [ nil ] ];
    weak = [ 3 ];
    garbage = true;
  }

(* The second key is dead, even if the first key is set meanwhile. *)
let one_is_set =
  {
    two_keys with
    name = "two dead keys, one set meanwhile";
    heap = [ [ 3 ]; [ nil ]; [ 4; 6; 5 ]; []; []; [ nil ] ];
    domains =
      [
        does [ 1; nil; nil ] [ Load (1, 0, 0); Load (2, 1, 1) ];
        does [ 1; nil; nil ] [ Load (1, 0, 0); Store (1, 0, 0) ];
      ];
    garbage = false;
  }

(* Only a private weak object holds o2. *)
let keeps_weakly = takes_out @ [ Alloc_weak 2; Store (2, 0, 1); Clear 1 ]

let private_weak =
  scripts "a private weak object" [ keeps_weakly @ [ Load (1, 2, 0) ]; [] ]

let private_data =
  let keeps = [ Alloc_weak 2; Store (2, 0, 0); Store (2, 1, 1); Clear 1 ] in
  { (scripts "private data" [ takes_out @ keeps; [] ]) with fields = 2 }

let weak_suspended =
  tasks "a weak object of a suspended task"
    [ root (keeps_weakly @ [ Suspend ]) ]

let weak_apart =
  let key = [ Alloc 2; Store (2, 0, 1); Clear 1 ] in
  let weak = [ Alloc_weak 1; Store (1, 0, 2); Clear 2; Fork_apart (1, 1) ] in
  tasks "a weak object set apart" [ root (takes_out @ key @ weak); branch [] ]

let told = takes_out @ [ Finalise 1; Clear 1 ]

let last =
  scripts "a last finaliser" [ takes_out @ [ Finalise_last 1; Clear 1 ]; [] ]

let revived =
  let script = told @ [ Finaliser 1; Load (2, 1, 0) ] in
  {
    (scripts "objects that finalisers revive" [ script; [] ]) with
    heap = [ [ 2 ]; [ 3 ]; [ nil ] ];
    garbage = true;
  }

let scripted =
  [
    read_weakly;
    nobody_reads;
    data_of_key;
    data_is_read;
    key_is_set;
    keys_of_data;
    private_weak;
    private_data;
    weak_suspended;
    weak_apart;
    two_keys;
    one_is_set;
    last;
    revived;
  ]
