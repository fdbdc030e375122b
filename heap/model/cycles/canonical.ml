open State
open Access

let named s =
  let name i o = (o.name, i + 1) in
  let named = List.mapi name (Array.to_list s.objects) in
  List.map snd (List.sort compare (List.filter (fun (n, _) -> n > 0) named))

(* The objects that the sweeps in progress have yet to visit. A sweep lists its
   objects by number, so [state] keeps these objects even if no root reaches
   them. *)
let swept s =
  let of_ x = match x.activity with Sweeps l -> l | _ -> [] in
  List.concat_map of_ (Array.to_list s.domains)

(* Numbers the chunks in the order of the objects in them. A leaf whose area is in
   a chunk without objects is equal to a leaf without an area (0). *)
let chunks s =
  let known = Hashtbl.create 8 in
  let number c =
    match Hashtbl.find_opt known c with
    | Some n -> n
    | None ->
        let n = 1 + Hashtbl.length known in
        Hashtbl.add known c n;
        n
  in
  let renumber p = { p with chunk = number p.chunk } in
  let place o =
    if o.spot = None then o else { o with spot = Option.map renumber o.spot }
  in
  let objects = Array.map place s.objects in
  let area (x : leaf) =
    if x.area = 0 then x
    else
      { x with area = Option.value (Hashtbl.find_opt known x.area) ~default:0 }
  in
  { s with objects; leaves = Array.map area s.leaves }

let state s =
  let roots meet =
    Places.iter (fun place v -> match place with In _ -> () | _ -> meet v) s
  in
  let fields v = (obj s v).fields in
  let n = Array.length s.objects in
  let Pointers.{ order; number } =
    Pointers.breadth_first n roots (named s @ swept s) fields
  in
  let s = { s with objects = Array.map (obj s) order } in
  let renamed x =
    match x.activity with
    | Sweeps l ->
        let l = List.sort compare (List.map (fun v -> number.(v)) l) in
        { x with activity = Sweeps l }
    | _ -> x
  in
  let s = { s with domains = Array.map renamed s.domains } in
  chunks (Places.map (fun _ v -> if v > 0 then number.(v) else v) s)

let key = Pointers.key
