open State
open Access

type scope = Young | Full

(* {1 Collection of a local heap (leaf)} *)

(* True if the collection moves or frees the object. *)
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

(* Cheney's copying collection without addresses: the movable objects that are
   reachable through movable objects. *)
let reached s moves root =
  let mark = Array.make (Array.length s.objects + 1) false in
  let rec visit v =
    if v > 0 && moves v && not mark.(v) then begin
      mark.(v) <- true;
      Array.iter visit (obj s v).fields
    end
  in
  Places.iter (fun place v -> if root place then visit v) s;
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
  let s' = Places.map follow (forget_remembered s heap) in
  { s' with objects = Array.mapi settle s'.objects }

(* {1 Global collection} *)

(* The task that forked task [t], if that fork is not over and the forking task
   has not ended. *)
let home s t =
  let p = s.tasks.(t).parent in
  let ended =
    p < 0 || is_own s p
    || match s.tasks.(p).stage with Finished | Gone -> true | _ -> false
  in
  if ended then None else Some p

let depth_of_fork s t home =
  if s.tasks.(home).disordered then 1 else min s.tasks.(t).start s.deepest

(* The branch of task [above] that [t] is, or is below. *)
let rec branch_of s above t =
  match home s t with
  | None -> None
  | Some p when p = above -> Some t
  | Some p -> branch_of s above p

(* The depth at which an object of heap [h] is pinned for task [by]: the pin
   ends with the first join at the nearest fork above both. *)
let depth_for (rules : Fault.rules) s h by =
  let first, none =
    if rules.fault = Some Global_till_later_join then (max, 0)
    else (min, max_int)
  in
  let rec from branch by =
    let depth_of = Option.fold ~none ~some:(fun t -> depth_of_fork s t by) in
    let other = branch_of s by h in
    if other <> None || by = h then first (depth_of branch) (depth_of other)
    else match home s by with None -> 1 | Some p -> from (Some by) p
  in
  from None by

(* The heap of which a place is a root, and the round in which the collection
   follows the root. *)
let heap_of_place (rules : Fault.rules) s = function
  | Static -> Some (0, frozen)
  | Reg t | Frame t | Cell t ->
      Some (1, if is_own s t then Access.leaf s (t - own s 0) else t)
  | Record t -> (
      match s.tasks.(t).stage with
      | Finished -> Some (1, t)
      | (Offered | Taken) when rules.fault <> Some Global_forgets_offers ->
          Option.fold (home s t)
            ~none:(Some (0, frozen))
            ~some:(fun p -> Some (2, p))
      | _ -> None)
  | Dls d -> Some (1, Access.leaf s d)
  | In _ | Busy _ | Log _ | Remembered _ -> None

(* Gives each object to the first heap that reaches it. The frozen heap comes
   first; the closures of branches that no domain has begun come last. An object
   that a second heap reaches is noted, with the depth of the pin for that
   heap. *)
let distribute rules s =
  let owner = Array.make (Array.length s.objects + 1) None in
  let noted = ref [] in
  let note v depth = noted := (depth, v) :: !noted in
  let rec visit heap v =
    if v > 0 then
      match owner.(v) with
      | None ->
          owner.(v) <- Some heap;
          Array.iter (visit heap) (obj s v).fields
      | Some h ->
          if h <> heap && h <> frozen && heap <> frozen then
            note v (depth_for rules s h heap)
  in
  let pass now place v =
    match heap_of_place rules s place with
    | Some (at, h) when at = now && v > 0 -> (
        visit h v;
        match place with
        | Record t when now = 2 -> note v (depth_of_fork s t h)
        | _ -> ())
    | _ -> ()
  in
  List.iter (fun now -> Places.iter (pass now) s) [ 0; 1; 2 ];
  (owner, noted)

(* Pins the noted objects, the deepest first. The walk pins the objects of the
   owner's heap, and lowers a pin that is already set. *)
let pinned owner s noted =
  let pin = Array.make (Array.length s.objects + 1) 0 in
  let publish (depth, v) =
    let leaf = owner.(v) in
    let rec visit v =
      if v > 0 && owner.(v) <> Some frozen then
        let fresh = pin.(v) = 0 && owner.(v) = leaf in
        if fresh || pin.(v) > depth then begin
          pin.(v) <- depth;
          Array.iter visit (obj s v).fields
        end
    in
    visit v
  in
  List.iter publish (List.sort (fun a b -> compare b a) noted);
  pin

let global (rules : Fault.rules) s =
  let owner, noted = distribute rules s in
  let noted = if rules.fault = Some Global_pins_nothing then [] else !noted in
  let pin = pinned owner s noted in
  let follow _ v = if v > 0 && owner.(v) = None then dead else v in
  let place i o =
    match owner.(i + 1) with
    | None -> o
    | Some heap -> { o with heap; young = false; pin = pin.(i + 1); apart = 0 }
  in
  let log i =
    let is v = owner.(v) = Some i && pin.(v) > 1 in
    let all = List.init (Array.length s.objects) succ in
    List.filter_map (fun v -> if is v then Some (v, pin.(v)) else None) all
  in
  let empty i t =
    let log = log i and put_off = false in
    { t with log; remembered = []; lowered = []; touched = false; put_off }
  in
  let s = Places.map follow { s with tasks = Array.mapi empty s.tasks } in
  { s with objects = Array.mapi place s.objects }
