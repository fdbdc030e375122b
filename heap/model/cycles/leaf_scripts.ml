open State
open Access
open Scenario
open Scripts

let regs = [ 1; nil; nil; nil ]

let in_cycle name script =
  { (tasks name [ does regs script ]) with chunks = true; fields = 3 }

let collected name script =
  { (in_cycle name script) with heap = [ [ nil ] ]; cycles = 0 }

(* {1 Weak objects} *)

let holds_key = [ Alloc_weak 2; Alloc 1; Store (2, 0, 1) ]

let private_key =
  collected "a private key" (holds_key @ [ Clear 1; Load (1, 2, 0) ])

let second_dies = [ Alloc 3; Store (2, 2, 3); Clear 3 ]
let has_data = [ Alloc 3; Store (2, 1, 3) ]

let private_keys =
  collected "two private keys, one of them dead"
    (holds_key @ second_dies @ has_data @ [ Clear 3; Load (3, 2, 1) ])

let data_elsewhere =
  collected "live data of a dead key"
    (holds_key @ second_dies @ has_data @ [ Load (3, 2, 1) ])

(* The object of register 1 comes first in the list. Its key is the data of the
   object of register 2. *)
let data_is_key =
  collected "a private key that data holds"
    ([ Alloc_weak 1; Alloc 3; Store (1, 0, 3); Alloc_weak 2; Store (2, 1, 3) ]
    @ [ Alloc 3; Store (1, 1, 3); Alloc 3; Store (2, 0, 3) ])

(* A shared key and a private key. *)
let two_kinds =
  [ Load (1, 0, 0); Alloc_weak 2; Store (2, 0, 1); Alloc 1; Store (2, 2, 1) ]

(* The private key is the data too. *)
let shared_key =
  in_cycle "a shared key that dies, and a private one"
    (two_kinds @ [ Store (2, 1, 1); Erase (0, 0); Load (3, 2, 1) ])

let makes_keys = two_kinds @ has_data @ [ Clear 3 ]
let reads = [ Load (3, 2, 2); Load (3, 2, 0); Load (3, 2, 1) ]

let shared_dies =
  in_cycle "a shared key that dies, beside a private one"
    (makes_keys @ (Erase (0, 0) :: reads))

let shared_lives =
  in_cycle "a private key that dies, beside a shared one"
    (makes_keys @ (Clear 1 :: reads))

(* The weak object is garbage, and still in the list of its heap. *)
let dead_weak =
  let dies = [ Store (2, 1, 1); Erase (0, 0); Clear 1; Clear 2 ] in
  let c = in_cycle "a dead weak object" (two_kinds @ dies) in
  { c with garbage = true }

(* {1 Remembered fields} *)

let keeps_young = [ Alloc 2; Store (1, 0, 2); Clear 2 ]

let old_to_young =
  collected "an old object leads to a young one"
    ((Alloc 1 :: keeps_young) @ [ Load (2, 1, 0) ])

let expired_to_young =
  collected "an expired object leads to a young one"
    ((Alloc 1 :: Expires 1 :: keeps_young) @ [ Load (2, 1, 0) ])

let dead_holder =
  collected "a dead object's field was remembered"
    ((Alloc 1 :: keeps_young) @ [ Clear 1; Alloc 1 ])

(* The object is garbage, and only the object holds o2. *)
let remembered =
  in_cycle "a dead object's remembered field has a shared object"
    ((Alloc 1 :: keeps_young)
    @ [ Load (2, 0, 0); Store (1, 0, 2); Erase (0, 0); Clear 1; Clear 2 ])

(* {1 Chunks that stay} *)

(* The chunk is judged. An object never pinned lies beside an object with an
   expired pin. *)
let stays =
  let c =
    in_cycle "a chunk that stays, and is swept"
      [ Alloc 1; Expires 1; Alloc 2; Alloc 3 ]
  in
  { c with heap = [ [ nil ] ] }

(* An object allocated after the scan stays in the chunk, and is pinned
   again. *)
let stays_again =
  let script = [ Alloc 1; Expires 1; Alloc 2; Fork_apart (1, 1) ] in
  let c = in_cycle "a chunk that stays, and is pinned again" script in
  { c with heap = [ [ nil ] ]; tasks = c.tasks @ [ branch [] ] }

(* {1 Large objects} *)

let fills = [ Alloc_large 1; Alloc 2; Store (1, 0, 2); Clear 2 ]
let large = collected "a large object" (fills @ [ Load (2, 1, 0) ])

let large_dies =
  let c =
    in_cycle "a large object that is shared, and dies"
      (fills @ [ Store (0, 0, 1); Erase (0, 0); Clear 1 ])
  in
  { c with heap = [ [ nil ] ]; garbage = true }

let large_apart =
  let script =
    fills @ [ Fork (1, 1); Join; Alloc 2; Store (1, 0, 2); Clear 2 ]
  in
  let c =
    tasks "a large object lent, and set apart"
      [
        does regs (script @ [ Fork_apart (1, 2); Clear 1 ]);
        branch [];
        branch [ Load (2, 0, 0) ];
      ]
  in
  { c with chunks = true; heap = [ [ nil ] ]; cycles = 0 }

let scripted =
  [
    private_key;
    private_keys;
    data_elsewhere;
    data_is_key;
    shared_key;
    dead_weak;
    old_to_young;
    expired_to_young;
    dead_holder;
    remembered;
    stays;
    stays_again;
    large;
    large_dies;
    large_apart;
  ]
