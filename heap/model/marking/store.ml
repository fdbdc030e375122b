open Heap_model.Label
open State

(* {1 Publishing} *)

(* All that is not shared yet. It is the domain's own, or lent. *)
let rec walk rules s d v =
  if v <= 0 || Memory.kind s d v = Shared then s
  else
    let on s v = walk rules s d v in
    List.fold_left on (Grey.born rules s d v) (Memory.fields s d v)

let lowers s v =
  let mark = reached s (fun o -> o.kind <> Shared) [ v ] in
  let lowered i o = mark.(i + 1) && is_lent o in
  Array.exists Fun.id (Array.mapi lowered s.objects)

let stores_into_lent s (x : domain) =
  let into = function Field (o, _, _) -> is_lent (obj s o) | _ -> false in
  List.exists into x.buffer
  ||
  match x.activity with
  | Writes w -> is_lent (obj s w.target)
  | Ready | Replaced _ -> false

(* Who publishes what was lent keeps stores into what is lent out meanwhile; the
   model of tasks' heaps has how. *)
let may_lower s d =
  let other e x = e <> d && stores_into_lent s x in
  not (Array.exists Fun.id (Array.mapi other s.domains))

let share rules s d v =
  if v <= 0 || not (lowers s v) then Some (walk rules s d v)
  else if may_lower s d then Some (Memory.fence (walk rules s d v) d)
  else None

let share_all rules s d values =
  let on s v = Option.bind s (fun s -> share rules s d v) in
  let all = List.fold_left on (Some s) values in
  Option.map (fun s -> Memory.fence s d) all

let rec lend s d v =
  if v <= 0 then s
  else
    match Memory.kind s d v with
    | Shared | Lent _ -> s
    | Private heap ->
        let s = with_obj s v { (obj s v) with kind = Lent heap } in
        List.fold_left (fun s v -> lend s d v) s (Memory.fields s d v)

(* {1 Stores} *)

let barriers rules s d target =
  Grey.aware s d && (Rule.(on Lent_too rules) || not (Memory.is_lent s d target))

let old_grey rules s d v =
  if Rule.(on Greys_overwritten rules) then Grey.grey rules s d v else s

let before rules s d target field v =
  let greys = Grey.early s d && Rule.(on Greys_stored rules) in
  let s = if greys then Grey.grey rules s d v else s in
  let old = Memory.field s d target field in
  let s = if Rule.(on Exchanges rules) then s else old_grey rules s d old in
  say "is to store o%.% := o%, for o%" [ target; field; v; old ]
    (become s d (Writes { target; field; v }))

let write s d target field v =
  say "stores o%.% := o%" [ target; field; v ]
    (Memory.put (become s d Ready) d (Field (target, field, v)))

let start rules s d target field v =
  let published =
    if Memory.is_lent s d target then Some (lend s d v) else share rules s d v
  in
  match (Memory.kind s d target, published) with
  | Private _, _ ->
      let s = Memory.apply s (Field (target, field, v)) in
      say "o%.% := o%, its own" [ target; field; v ] s
  | _, None -> []
  | _, Some s when barriers rules s d target -> before rules s d target field v
  | _, Some s -> write s d target field v

let exchange s d target field v =
  let old = (obj s target).fields.(field) in
  let s = Memory.apply s (Field (target, field, v)) in
  say "puts o% into o%.%, for o%" [ v; target; field; old ]
    (become s d (Replaced old))

let go_on rules s d = function
  | Ready -> []
  | Writes { target; field; v } when not Rule.(on Exchanges rules) ->
      write s d target field v
  | Writes _ when not (Memory.drained s d) -> []
  | Writes { target; field; v } -> exchange s d target field v
  | Replaced v ->
      say "has replaced o%" [ v ] (old_grey rules (become s d Ready) d v)
