open State
open Access

exception Broken of string

let fail fmt = Printf.ksprintf (fun what -> raise (Broken what)) fmt

let alive kept place v =
  let counts = match place with In (v, _) -> kept.(v) | _ -> true in
  if v = dead && counts then fail "a pointer to a freed object"

(* An object to trace must be pinned: the owner might move a private object. *)
let grey s v =
  if v > 0 && (obj s v).kind <> Static && not (pinned (obj s v)) then
    fail "o%d is private, and to be traced" v

let remembered s =
  let is_gone (v, f) = v = dead || (obj s v).fields.(f) = dead in
  let of_leaf (x : leaf) = List.exists is_gone x.remembered in
  if Array.exists of_leaf s.leaves then
    fail "a remembered field, or its value, was freed"

(* A listed weak object, dead or not, must have no freed field: its heap looks
   at the object. *)
let listed v o =
  if o.listed && Array.mem dead o.fields then
    fail "o%d is weak, and holds a freed object" (v + 1)

let greys s =
  List.iter (fun (v, _) -> grey s v) s.pool;
  List.iter (grey s) s.inbox;
  let of_domain d x = if watches s d then List.iter (grey s) x.greys in
  Array.iteri of_domain s.domains;
  if s.phase = Idle && (s.pool <> [] || s.inbox <> []) then
    fail "an object is to be traced when the cycle is over"

(* A property that the programs ensure, and not the collection: a pointer leads
   to the same heap or to a shared object. *)
let field s o v =
  if v > 0 then
    match (o.kind, (obj s v).kind) with
    | _, (Static | Frozen | Shared _ | Lent _) -> ()
    | Private h, Private h' when h = h' && not o.apart -> ()
    | _, Private _ when (obj s v).apart || (o.kind = Static && alone s) -> ()
    | _ -> fail "a pointer to o%d, which is not shared" v

let root s place v =
  match place with
  | Reg l | Record l ->
      let others o =
        match o.kind with Private h -> h <> l && not o.apart | _ -> false
      in
      if v > 0 && others (obj s v) && s.leaves.(l).stage <> Offered then
        fail "leaf %d has o%d, of another leaf" l v
  | _ -> ()

let broken _ s =
  if s.broken <> "" then Some s.broken
  else
    try
      let kept = Reach.kept s in
      Places.iter (alive kept) s;
      remembered s;
      Array.iteri listed s.objects;
      greys s;
      Places.iter (root s) s;
      Array.iteri
        (fun i o -> if kept.(i + 1) then Array.iter (field s o) o.fields)
        s.objects;
      None
    with Broken what -> Some what

let at_rest s =
  s.phase = Idle && Array.for_all (fun x -> x.activity = Ready) s.domains
