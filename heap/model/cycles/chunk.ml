open State
open Access

let chunk_of o = match o.spot with Some p -> p.chunk | None -> 0

(* True if the object has pin bits of its own, expired or not. *)
let has_bits o =
  match o.kind with
  | Shared _ | Lent _ -> true
  | Private _ -> o.expired
  | Static | Frozen -> false

let in_one s c p =
  c > 0 && Array.exists (fun o -> chunk_of o = c && p o) s.objects

let placed f o = { o with spot = Option.map f o.spot }

let in_chunk s c f =
  each_obj (fun o -> if chunk_of o = c then placed f o else o) s

let fresh s =
  let last n o = max n (chunk_of o) in
  let area n (x : leaf) = max n x.area in
  1 + Array.fold_left area (Array.fold_left last 0 s.objects) s.leaves

(* {1 Allocating} *)

let free_all s dies =
  let follow _ v = if v > 0 && dies (obj s v) then dead else v in
  let s' = Places.map follow s in
  let settle i o = if dies s.objects.(i) then free o else o in
  { s' with objects = Array.mapi settle s'.objects }

let use_holes rules s c =
  let free o =
    (not (has_bits o)) || (o.expired && not (Rules.on Expired_stays rules))
  in
  let s = free_all s (fun o -> chunk_of o = c && free o) in
  in_chunk s c (fun p -> { p with holed = false; young = true })

let with_area s l c = with_leaf s l { (s.leaves.(l)) with area = c }

let holed s l =
  let is o =
    match o.spot with
    | Some p when leaf_of o = l && p.holed && not o.apart -> [ p.chunk ]
    | _ -> []
  in
  List.sort_uniq compare (List.concat_map is (Array.to_list s.objects))

let young chunk =
  {
    chunk;
    young = true;
    holed = false;
    filled = false;
    mixed = false;
    large = false;
  }

let allocate_large s = (s, { (young (fresh s)) with large = true })

let allocate rules s l =
  let x = s.leaves.(l) in
  if x.area > 0 then
    let inside o = chunk_of o = x.area in
    let here o = if inside o then o.spot else None in
    let found = List.find_map here (Array.to_list s.objects) in
    [ (s, Option.value found ~default:(young x.area)) ]
  else
    let c = fresh s in
    let again c =
      let s = use_holes rules (with_area s l c) c in
      (s, young c)
    in
    (with_area s l c, young c) :: List.map again (holed s l)

(* {1 Setting apart} *)

let old s l =
  let old o =
    if leaf_of o = l then
      placed (fun p -> { p with young = false }) { o with changed = false }
    else o
  in
  let s = each_obj old s in
  with_leaf s l { (s.leaves.(l)) with area = 0; remembered = [] }

let brought_back rules (o : obj) =
  let holed = not (Rules.on Back_full rules) in
  let mixed = (not holed) && Rules.on Back_mixed rules in
  let back p = { p with holed = holed && not p.large; mixed } in
  let judged =
    o.judged && o.spot <> None && not (Rules.on Back_unjudged rules)
  in
  placed back { o with judged }

(* A chunk changes between a leaf and the frozen heap. Collections of leaves do
   not walk the frozen heap. *)
let given o =
  placed (fun p -> { p with young = false; holed = false; mixed = false }) o

let taken o = placed (fun p -> { p with holed = not p.large; filled = false }) o

(* {1 Sweeping} *)

let judges rules s o =
  match o.spot with
  | None -> true
  | Some p ->
      (not (p.mixed && Rules.on Back_mixed rules)) && in_one s p.chunk has_bits

let settle_one s c =
  let filled o = match o.spot with Some p -> p.filled | None -> false in
  let s =
    each_obj
      (fun o -> if chunk_of o = c then { o with judged = false } else o)
      s
  in
  if in_one s c filled then s
  else if in_one s c has_bits then
    in_chunk s c (fun p -> { p with holed = not p.large })
  else free_all s (fun o -> chunk_of o = c)

let settle s chunks = List.fold_left settle_one s chunks
