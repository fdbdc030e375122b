open State
open Access

type until = For_good | A_join

let pin kind s v = with_obj s v { (obj s v) with kind; expired = false }

(* Shares a lent continuation for good. A task of any domain may resume the
   continuation, so no domain may walk the stack. *)
let strand rules s v l =
  if (obj s v).kind = Lent l then
    { s with broken = "a stack is walked that another domain may have" }
  else
    let stranded = Rules.on Strands rules in
    { (pin (Shared l) s v) with stranded }

let rec visit rules until s d v =
  if v <= 0 then s
  else
    let o = obj s v in
    let children s =
      let on s v = visit rules until s d v in
      List.fold_left on s (Memory.fields s d v)
    in
    match o.kind with
    | Static -> s
    | Frozen | Shared _ -> Mark.stored rules s d v
    | (Lent l | Private l) when is_lent o ->
        let s = Mark.stored rules s d v in
        if until = A_join then s
        else if o.cont then strand rules (Mark.lowered rules s d v) v l
        else children (pin (Shared l) (Mark.lowered rules s d v) v)
    | Lent l | Private l ->
        let kind = if until = A_join then Lent l else Shared l in
        children (Mark.published rules (pin kind s v) d v)

(* {1 Lowering} *)

let lowers s v =
  let mark = Array.make (Array.length s.objects + 1) false in
  let rec lent v =
    v > 0
    && (not mark.(v))
    && begin
         mark.(v) <- true;
         let o = obj s v in
         is_lent o
         || (match o.kind with Private _ -> true | _ -> false)
            && Array.exists lent o.fields
       end
  in
  lent v

let stores_into_lent s (x : domain) =
  let into w = is_lent (obj s w.target) in
  List.exists into x.buffer
  ||
  match x.activity with
  | Writes w | Exchanges (_, w) -> into w
  | Ready | Replaced _ | Sweeps _ | Resumes _ | Reads _ | Revives _ | Clears _
    ->
      false

let may_lower s d =
  let other e x = e <> d && stores_into_lent s x in
  not (Array.exists Fun.id (Array.mapi other s.domains))

let has_cont s v =
  let mark = Reach.reached s [ v ] in
  let is i o = mark.(i + 1) && o.cont && not (pinned o) in
  Array.exists Fun.id (Array.mapi is s.objects)

let for_good rules s d v =
  leaf s d = own s d
  || s.stranded
  || (Rules.on Conts_for_good rules && has_cont s v)

let publish rules until s d v =
  let until = if for_good rules s d v then For_good else until in
  if until = A_join || not (lowers s v) then Some (visit rules until s d v)
  else if may_lower s d then Some (Memory.fence (visit rules until s d v) d)
  else None

let publish_all rules s d values =
  let on s v = Option.bind s (fun s -> publish rules For_good s d v) in
  List.fold_left on (Some s) values

(* {1 The end of a pin} *)

let may_expire rules s =
  not ((marking s && Rules.on Keeps_lent rules) || s.stranded)

let expire rules s l =
  let own o =
    if o.kind = Lent l then { o with kind = Private l; expired = true } else o
  in
  let back o =
    if o.apart then Chunk.brought_back rules { o with apart = false } else o
  in
  each_obj (fun o -> if leaf_of o = l then back (own o) else o) s

(* In a chunk with holes, each pinned object is pinned again in its place,
   without a mark. *)
let around_hole o =
  match o.spot with Some p -> p.holed | None -> Chunk.has_bits o

let again rules l o =
  let lent = o.kind = Private l && Rules.on Pins_again rules in
  if lent then { o with kind = Lent l; expired = false } else o

let set_apart rules s l =
  let around (o : obj) = leaf_of o = l && (not o.apart) && around_hole o in
  let with_ around =
    let apart o =
      if around o then again rules l o
      else if leaf_of o = l then { o with apart = true }
      else o
    in
    Chunk.old (each_obj apart s) l
  in
  let in_chunks = Array.exists (fun o -> o.spot <> None) s.objects in
  if in_chunks then [ with_ around ]
  else if Array.exists around s.objects then
    [ with_ around; with_ (fun _ -> false) ]
  else [ with_ around ]

let freeze s l =
  let freeze o =
    if leaf_of o = l then
      let o = Chunk.given o in
      { o with kind = Frozen; apart = false; judged = false; expired = false }
    else o
  in
  each_obj freeze (Chunk.old s l)
