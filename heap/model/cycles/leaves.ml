open State
open Access

type scope = Young | Full

(* [marks]: the objects found alive, among the objects to move or free. *)
type trace = {
  rules : Rules.t;
  scope : scope;
  by : int; (* the collecting domain *)
  leaf : int;
  s : State.t;
  marks : bool array;
}

(* {1 Objects of the collection} *)

let is_from t o =
  match o.spot with
  | Some p -> leaf_of o = t.leaf && (not o.apart) && (p.young || t.scope = Full)
  | None -> false

(* A pinned object stays in place. An object whose pin has expired stays in
   place in a young collection. *)
let stays t o = pinned o || (o.expired && t.scope = Young)

let is_dead t v =
  v > 0
  &&
  let o = obj t.s v in
  is_from t o && (not (stays t o)) && not t.marks.(v)

let is_large o = match o.spot with Some p -> p.large | None -> false

let rec visit t v =
  if is_dead t v then begin
    t.marks.(v) <- true;
    let o = obj t.s v in
    let scanned = (not (is_large o)) || Rules.on Scans_large t.rules in
    if scanned && not o.weak then Array.iter (visit t) o.fields
  end

let met t = Array.fold_left (fun n m -> if m then n + 1 else n) 0 t.marks

let rec till_no_more t f =
  let before = met t in
  f ();
  if met t > before then till_no_more t f

(* {1 Weak objects} *)

let listed t = numbered (fun o -> o.listed && leaf_of o = t.leaf) t.s

(* Keeps the fields of weak objects that are new or changed. *)
let keep_young t =
  let changed e = (obj t.s e).changed && not (is_dead t e) in
  let keep e = if changed e then Array.iter (visit t) (obj t.s e).fields in
  till_no_more t (fun () -> List.iter keep (listed t))

let dead_keys t o = List.filter (fun k -> is_dead t o.fields.(k)) (keys o)

let keep_data t =
  let keep e =
    let o = obj t.s e in
    let held = List.length (dead_keys t o) in
    let all = Rules.on Keeps_with_all t.rules in
    let enough = if all then held = 0 else held < List.length (keys o) in
    if enough && not (is_dead t e) then visit t (data_of o)
  in
  let round () = List.iter keep (listed t) in
  if Rules.on Keeps_in_rounds t.rules then till_no_more t round else round ()

let cleared t s e =
  let o = obj t.s e in
  let dead = dead_keys t o and data_dies = is_dead t (data_of o) in
  let lost = data_dies || (dead <> [] && Rules.on Takes_data t.rules) in
  let goes k _ =
    (List.mem k dead && Rules.on Clears_private t.rules)
    || (k = data_slot && lost)
  in
  let fields = Array.mapi (fun k v -> if goes k v then nil else v) o.fields in
  let s = with_obj s e { o with fields } in
  if data_dies && dead = [] then
    { s with broken = "the data of live keys is lost" }
  else if dead <> [] && data_of { o with fields } <> nil then
    { s with broken = "the data of a dead key is left" }
  else s

let clear_dead t s =
  let alive e = not (is_dead t e) in
  List.fold_left (cleared t) s (List.filter alive (listed t))

(* {1 Tracing} *)

let roots t =
  let x = t.s.leaves.(t.leaf) in
  let of_domain d (y : domain) =
    if y.runs = t.leaf || own t.s d = t.leaf then [ y.dls ] else []
  in
  (t.s.root :: x.record :: x.todo)
  @ Array.to_list x.regs
  @ List.concat (List.mapi of_domain (Array.to_list t.s.domains))

let remembered t =
  let value (v, f) = (obj t.s v).fields.(f) in
  List.map value t.s.leaves.(t.leaf).remembered

let trace t =
  let told = t.s.leaves.(t.leaf).told in
  List.iter (visit t) (roots t);
  match t.scope with
  | Young ->
      List.iter (visit t) (told :: remembered t);
      if Rules.on Keeps_changed t.rules then keep_young t
  | Full ->
      if not (Rules.on Leaves_private t.rules) then
        List.iter (fun e -> Array.iter (visit t) (obj t.s e).fields) (listed t);
      keep_data t

(* A dead object with a finaliser lives once more: the finaliser is called with
   the object. *)
let finalise t =
  let x = t.s.leaves.(t.leaf) in
  if t.scope = Young || not (is_dead t x.told) then t
  else begin
    let leaf = { x with told = nil; todo = x.told :: x.todo } in
    let t = { t with s = with_leaf t.s t.leaf leaf } in
    visit t x.told;
    keep_data t;
    t
  end

(* {1 After the trace} *)

let left p =
  let holed = not p.large in
  { p with young = false; holed; filled = false; mixed = false }

let moved into =
  {
    chunk = into;
    young = false;
    holed = false;
    filled = true;
    mixed = false;
    large = false;
  }

(* True if a full collection marks the objects that it leaves in a judged chunk.
   A domain not yet scanned leaves them unmarked, since its scan will mark
   them. *)
let meets t =
  let x = t.s.domains.(t.by) in
  Rules.on Stays_met t.rules
  && if watches t.s t.by then x.scanned else x.greeted

(* The object after a full collection that leaves its chunk in place. A chunk is
   judged as a whole. In a chunk that a collection has filled, expired pins end;
   in any other chunk with pins, all objects get expired pins. *)
let in_place t o p =
  let had_bits = Chunk.in_one t.s p.chunk Chunk.has_bits && not p.filled in
  let judged = Chunk.in_one t.s p.chunk (fun o -> o.judged) in
  let expired = had_bits && (o.expired || Rules.on Pins_marked t.rules) in
  let met = o.met || (expired && judged && meets t) in
  let here = { p with young = false; holed = false; mixed = false } in
  {
    o with
    expired;
    judged;
    met;
    spot = Some (if had_bits then left p else here);
  }

let settled t into in_places o =
  match o.spot with
  | Some p when is_from t o && stays t o -> { o with spot = Some (left p) }
  | Some p when is_from t o && p.large ->
      let spot = Some { p with young = false; mixed = false } in
      { o with expired = false; spot }
  | Some p when is_from t o && List.mem p.chunk in_places -> in_place t o p
  | Some _ when is_from t o ->
      let spot = Some (moved into) in
      { o with expired = false; met = false; judged = false; spot }
  | _ -> o

let settle t into in_places =
  let dies v = is_dead t v in
  let follow _ v = if dies v then dead else v in
  let forget s =
    let x = s.leaves.(t.leaf) in
    let last = if is_dead t x.last then nil else x.last in
    let forgets = t.scope = Young || Rules.on Forgets_fields t.rules in
    let remembered = if forgets then [] else x.remembered in
    with_leaf s t.leaf { x with last; remembered; area = 0 }
  in
  let s = if t.scope = Full then clear_dead t t.s else t.s in
  let s = Places.map follow (forget s) in
  let become i o =
    if dies (i + 1) then free o else settled t into in_places o
  in
  let old o = if leaf_of o = t.leaf then { o with changed = false } else o in
  each_obj old { s with objects = Array.mapi become s.objects }

(* {1 Chunks that may be left in place}: chunks that collections have filled,
   and chunks in which all pins have expired. *)

let may_stay t =
  let chunk o =
    match o.spot with
    | Some p when is_from t o && not p.large -> [ p.chunk ]
    | _ -> []
  in
  let all = List.concat_map chunk (Array.to_list t.s.objects) in
  let may c =
    let filled o = match o.spot with Some p -> p.filled | None -> false in
    (not (Chunk.in_one t.s c pinned))
    && (Chunk.in_one t.s c filled || Chunk.in_one t.s c Chunk.has_bits)
  in
  List.filter may (List.sort_uniq compare all)

let collect rules scope s by =
  let into = Chunk.fresh s in
  let marks () = Array.make (Array.length s.objects + 1) false in
  let traced rules =
    let t = { rules; scope; by; leaf = leaf s by; s; marks = marks () } in
    trace t;
    finalise t
  in
  let t = traced rules in
  let kept = met t and lives = met (traced Rules.all) in
  let broken = "an object that only weak pointers lead to is kept" in
  let s' = if kept > lives then { t.s with broken } else t.s in
  let t = { t with s = s' } in
  let in_places =
    if scope = Full then [] :: List.map (fun c -> [ c ]) (may_stay t)
    else [ [] ]
  in
  List.map (settle t into) in_places

(* {1 Stores} *)

let is_young s l v =
  v > 0
  &&
  let o = obj s v in
  let young = match o.spot with Some p -> p.young | None -> false in
  o.kind = Private l && young && (not o.apart) && not o.expired

(* A store into a private object remembers the field, if an old object gets a
   pointer to a young one. A weak object is in its heap's list, so only the
   change is noted. *)
let remember rules s l { target; field; v } =
  let o = obj s target in
  let old = o.expired || not (is_young s l target) in
  let rule = if o.expired then Rule.Remembers_expired else Rule.Remembers in
  if o.spot = None then s
  else if o.weak then
    if Rules.on Notes_changed rules && v <> nil then
      with_obj s target { o with changed = true }
    else s
  else if
    old && is_young s l v
    && (not (is_young s l o.fields.(field)))
    && Rules.on rule rules
  then
    let x = s.leaves.(l) in
    with_leaf s l { x with remembered = (target, field) :: x.remembered }
  else s
