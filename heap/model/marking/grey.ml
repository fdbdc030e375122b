open State

let colour rules cycle = if Rule.(on Flips rules) then cycle land 1 else 1
let aware s d = s.domains.(d).seen > 0
let early s d = aware s d && s.domains.(d).seen < 3
let scanned s d = s.domains.(d).seen = 3 && s.domains.(d).cycle = s.cycle

(* {1 By a domain} *)

let black rules s d = colour rules s.domains.(d).cycle

let push s d v =
  let x = s.domains.(d) in
  with_domain s d { x with greys = v :: x.greys }

let grey rules s d v =
  let black = black rules s d in
  if v <= 0 || Memory.kind s d v <> Shared || Memory.mark s d v = black then s
  else push (Memory.put s d (Mark (v, black))) d v

(* Between cycles all have the mark of the last one. *)
let born rules s d v =
  let on r = Rule.on r rules in
  let black = black rules s d in
  let late = aware s d && not (early s d) in
  let is_grey = late && Memory.is_lent s d v && on Grey_if_lent in
  let is_black =
    if late then is_grey || on Black_late
    else if aware s d then not (on White_early)
    else on Flips
  in
  let mark = Mark (v, if is_black then black else 1 - black) in
  let writes =
    if on Marks_first then [ mark; Share v ] else [ Share v; mark ]
  in
  let s = List.fold_left (fun s w -> Memory.put s d w) s writes in
  if is_grey then push s d v else s

let hand_over s d =
  let x = s.domains.(d) in
  let pool = List.map (fun v -> (v, 0)) x.greys @ s.pool in
  with_domain { s with pool } d { x with greys = [] }

(* {1 By the collector} *)

let to_pool rules s v =
  let black = colour rules s.cycle in
  if v <= 0 || (obj s v).kind <> Shared || (obj s v).mark = black then s
  else
    let s = Memory.apply s (Mark (v, black)) in
    { s with pool = (v, 0) :: s.pool }

(* {1 Scans} *)

(* Shared ones that are met first on the ways from these. *)
let met rules s from =
  let enters o =
    match o.kind with
    | Private _ -> Rule.(on Scans_private rules)
    | Lent _ | Shared -> false
  in
  let mark = reached s enters from in
  let is_met v = mark.(v) && (obj s v).kind = Shared in
  List.filter is_met (List.init (Array.length mark - 1) succ)

let lent s l =
  let fields o = if o.kind = Lent l then Array.to_list o.fields else [] in
  List.concat_map fields (Array.to_list s.objects)

let of_leaf rules s l =
  let x = s.leaves.(l) in
  let regs = if x.stage = Offered then [] else Array.to_list x.regs in
  let lent = if Rule.(on Scans_lent rules) then lent s l else [] in
  met rules s ((x.record :: regs) @ lent)

let scan_leaf rules s l grey =
  let s = List.fold_left grey s (of_leaf rules s l) in
  let s = with_leaf s l { (s.leaves.(l)) with scanned = true } in
  let kept = kept is_lent s in
  let drop i o = if o.kind = Private l && not kept.(i + 1) then gone o else o in
  if Rule.(on Drops_dead rules) then
    { s with objects = Array.mapi drop s.objects }
  else s

let scan_domain rules s d grey =
  let s = List.fold_left grey s (met rules s [ s.domains.(d).dls ]) in
  let s = scan_leaf rules s (own s d) grey in
  scan_leaf rules s (leaf s d) grey
