open Pointers
open State

let nil = 0
let dead = -1
let own s d = Array.length s.leaves - Array.length s.domains + d
let tasks s = own s 0
let leaf s d = s.domains.(d).runs
let obj s v = s.objects.(v - 1)
let leaf_of o = match o.kind with Private l | Lent l | Shared l -> l | _ -> -1
let data_slot = 1

let keys o =
  let fields = List.init (Array.length o.fields) Fun.id in
  List.filter (( <> ) data_slot) fields

let data_of o = if Array.length o.fields > data_slot then o.fields.(1) else nil

let is_lent o =
  match o.kind with Lent _ -> true | Private _ -> o.apart | _ -> false

let shared o = match o.kind with Frozen | Shared _ -> true | _ -> false
let pinned o = shared o || is_lent o
let with_obj s v o = { s with objects = set s.objects (v - 1) o }
let with_leaf s l x = { s with leaves = set s.leaves l x }
let with_domain s d x = { s with domains = set s.domains d x }
let each_obj f s = { s with objects = Array.map f s.objects }

let with_reg s l r v =
  let x = s.leaves.(l) in
  with_leaf s l { x with regs = set x.regs r v }

let become s d activity = with_domain s d { (s.domains.(d)) with activity }

let numbered p s =
  let number i o = if p o then [ i + 1 ] else [] in
  List.concat (List.mapi number (Array.to_list s.objects))

let marking s = match s.phase with Idle | Rest -> false | _ -> true
let watches s d = marking s && s.domains.(d).watching

let alive s =
  let alive d = s.domains.(d).alive in
  List.filter alive (List.init (Array.length s.domains) Fun.id)

(* A spawned domain counts, even before its first step. *)
let alone s =
  let has_heap l (x : leaf) =
    match x.stage with
    | Running | Suspended | Finished -> true
    | Offered -> l >= tasks s
    | Unborn | Gone -> false
  in
  let count = Array.mapi has_heap s.leaves in
  Array.fold_left (fun n has -> if has then n + 1 else n) 0 count = 1

let undecided s v =
  v > 0
  &&
  let o = obj s v in
  match o.kind with
  | Shared _ | Lent _ -> true
  | Frozen -> o.judged
  | Static | Private _ -> false

let unmet s v = undecided s v && not (obj s v).met

let free o =
  {
    o with
    kind = Private (-1);
    apart = false;
    weak = false;
    listed = false;
    changed = false;
    expired = false;
    cont = false;
    walked = false;
    spot = None;
    fields = [||];
    name = 0;
    doomed = false;
  }
