open State

type scope = Young | Full

(* {1 Of a leaf} *)

(* Is the object one that the collection moves, or frees? *)
let movable (rules : Fault.rules) scope heap o =
  let stays = o.apart > 0 && rules.fault <> Some Apart_moves in
  o.heap = heap && (not stays)
  &&
  match scope with
  | Full -> private_pin o.pin
  | Young ->
      o.young
      && (o.pin = 0 || (o.pin = expired && rules.fault = Some Expired_moves))

let is_root (rules : Fault.rules) s scope d place =
  let heap = leaf s d in
  match place with
  | Reg t | Frame t -> t = heap || t = own s d
  | Cell t -> t = heap && rules.fault <> Some Cell_no_root
  | Dls e -> e = d
  | In (v, f) -> scope = Young && List.mem (v, f) s.tasks.(heap).remembered
  | Static | Record _ | Busy _ | Log _ | Remembered _ -> false

(* Cheney's copying without places: the movable ones that are reached through
   movable ones. *)
let reached s moves root =
  let mark = Array.make (Array.length s.objects + 1) false in
  let rec visit v =
    if v > 0 && moves v && not mark.(v) then begin
      mark.(v) <- true;
      Array.iter visit (obj s v).fields
    end
  in
  iter (fun place v -> if root place then visit v) s;
  mark

let forget_remembered s heap =
  with_task s heap { (s.tasks.(heap)) with remembered = [] }

let leaf rules scope d s =
  let heap = leaf s d in
  let moves v = movable rules scope heap (obj s v) in
  let root = is_root rules s scope d in
  let mark = reached s moves root in
  let seen = function In (v, _) as p -> mark.(v) || root p | p -> root p in
  let follow place v =
    if v > 0 && moves v && not (mark.(v) && seen place) then dead else v
  in
  let settle i o =
    if o.heap <> heap || o.apart > 0 then o
    else { o with young = false; pin = (if mark.(i + 1) then 0 else o.pin) }
  in
  let s' = map follow (forget_remembered s heap) in
  { s' with objects = Array.mapi settle s'.objects }

(* {1 Of all heaps} *)

(* What is a root of which heap. *)
let heap_of_place (rules : Fault.rules) s = function
  | Static -> Some frozen
  | Reg t | Frame t | Cell t ->
      Some (if is_own s t then State.leaf s (t - own s 0) else t)
  | Record t -> (
      match s.tasks.(t).stage with
      | Finished -> Some t
      | (Offered | Taken) when rules.fault <> Some Global_forgets_offers ->
          Some frozen
      | _ -> None)
  | Dls d -> Some (State.leaf s d)
  | In _ | Busy _ | Log _ | Remembered _ -> None

(* Each object goes to the first heap that reaches it, the frozen one being first;
   what others meet there is noted. *)
let distribute rules s =
  let owner = Array.make (Array.length s.objects + 1) None in
  let noted = ref [] in
  let rec visit heap v =
    if v > 0 then
      match owner.(v) with
      | None ->
          owner.(v) <- Some heap;
          Array.iter (visit heap) (obj s v).fields
      | Some h -> if h <> heap then noted := v :: !noted
  in
  let pass want place v =
    match heap_of_place rules s place with
    | Some h when h = frozen = want -> visit h v
    | _ -> ()
  in
  iter (pass true) s;
  iter (pass false) s;
  (owner, noted)

let pinned s owner noted =
  let pin = Array.make (Array.length s.objects + 1) 0 in
  let rec visit v =
    if v > 0 && pin.(v) = 0 && owner.(v) <> Some frozen then begin
      pin.(v) <- 1;
      Array.iter visit (obj s v).fields
    end
  in
  List.iter visit noted;
  pin

let global (rules : Fault.rules) s =
  let owner, noted = distribute rules s in
  let noted = if rules.fault = Some Global_pins_nothing then [] else !noted in
  let pin = pinned s owner noted in
  let follow _ v = if v > 0 && owner.(v) = None then dead else v in
  let place i o =
    match owner.(i + 1) with
    | None -> o
    | Some heap -> { o with heap; young = false; pin = pin.(i + 1); apart = 0 }
  in
  let empty t =
    { t with log = []; remembered = []; lowered = []; touched = false }
  in
  let s = map follow { s with tasks = Array.map empty s.tasks } in
  { s with objects = Array.mapi place s.objects }
