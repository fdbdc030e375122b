open State
open Access
open Scenario
open Scripts
open Leaf_scripts

(* {1 Chunks} *)

(* The fork may hand over an object that lies beside garbage, or the whole
   leaf. *)
let chunks n m =
  let after = [ Alloc 1; Alloc 2; Store (0, 0, 2) ] in
  let menu = [ Alloc 2; Fork (1, 1); Fork_apart (1, 1); Store (1, 0, 2) ] in
  let branch = { regs = [ nil; 1; nil ]; script = []; fuel = m } in
  {
    plain with
    name = "chunks";
    tasks = [ may ~after variable n; branch ];
    heap = [ [ nil ] ];
    chunks = true;
    garbage = true;
    menu = Erase (0, 0) :: Clear 2 :: menu;
  }

(* Two forks; each may hand over objects whose pins have expired, or new
   objects. *)
let again n m =
  let after = [ Load (2, 0, 0); Alloc 1; Expires 1; Store (1, 0, 2) ] in
  let menu = [ Load (2, 0, 0); Load (2, 1, 0); Store (2, 0, 1); Clear 1 ] in
  let menu = Store (1, 0, 2) :: Erase (0, 0) :: Erase (1, 0) :: menu in
  let forks = [ Fork_apart (2, 1); Fork_apart (1, 1); Fork_apart (1, 2) ] in
  let branch = { regs = [ nil; 1; nil ]; script = []; fuel = m } in
  {
    plain with
    name = "objects pinned again";
    tasks = [ may ~after variable n; branch; does [ nil; 1; nil ] [] ];
    menu = (Alloc 2 :: Join :: forks) @ menu;
  }

let again_twice n m =
  let c = again n m in
  { c with name = "objects pinned again, in two cycles"; cycles = 2 }

(* Some objects have a finaliser, of one kind or of both. *)
let told_again n m =
  let c = again n m in
  let menu = [ Finalise 1; Finalise_last 1; Finaliser 2; Clear 1; Clear 2 ] in
  let menu = Alloc 2 :: Store (2, 0, 1) :: Join :: Fork_apart (2, 1) :: menu in
  let after = [ Alloc 1; Expires 1 ] in
  let tasks = may ~after variable n :: List.tl c.tasks in
  { c with name = "finalisers, and objects pinned again"; tasks; menu }

let again_in_chunks n m =
  let c = chunks n m in
  let menu = Expires 2 :: Fork_apart (2, 1) :: c.menu in
  { c with name = "chunks, and objects pinned again"; menu }

(* {1 Leaves} *)

(* A task whose leaf is collected, beside a domain. *)
let leaf name c n m =
  let task = may ~after:(List.hd c.tasks).script regs n in
  let domains = [ idle; may variable m ] in
  { c with name; tasks = [ task ]; domains }

let several_keys n m =
  let c = leaf "keys of both kinds" (in_cycle "" makes_keys) n m in
  let menu =
    [ Load (1, 0, 0); Load (3, 2, 0); Load (3, 2, 1); Load (3, 2, 2) ]
  in
  let menu = menu @ [ Clear 1; Clear 3; Store (2, 2, 3); Store (0, 0, 2) ] in
  { c with menu = Erase (0, 0) :: menu }

let remembered n m =
  let c = leaf "remembered fields" Leaf_scripts.remembered n m in
  let menu = [ Alloc 2; Store (1, 0, 2); Load (2, 1, 0); Load (2, 0, 0) ] in
  let menu = menu @ [ Clear 1; Clear 2; Store (0, 0, 1); Expires 1 ] in
  { c with menu = Erase (0, 0) :: menu }

(* A chunk that stays in place has an object with an expired pin, an object
   never pinned, and a new object. *)
let staying n m =
  let c = leaf "chunks that stay" stays n m in
  let menu = [ Alloc 2; Alloc 3; Store (1, 0, 2); Load (2, 1, 0); Expires 2 ] in
  let menu = Fork_apart (1, 1) :: Join :: Clear 1 :: Clear 2 :: menu in
  let menu = Store (0, 0, 1) :: Erase (0, 0) :: menu in
  { c with menu; tasks = c.tasks @ [ branch [] ]; garbage = true }

let large_ones n m =
  let c = leaf "large objects" large_apart n m in
  let menu = [ Alloc_large 1; Alloc 2; Store (1, 0, 2); Load (2, 1, 0) ] in
  let menu = menu @ [ Clear 1; Clear 2; Store (0, 0, 1); Erase (0, 0) ] in
  let menu = Fork (1, 1) :: Fork_apart (1, 1) :: Fork_apart (2, 1) :: menu in
  let tasks = [ may regs n; branch [ Load (0, 1, 0) ] ] in
  { c with tasks; menu; garbage = true; cycles = 1 }
