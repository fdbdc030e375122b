open State

exception Broken of string

let fail fmt = Printf.ksprintf (fun what -> raise (Broken what)) fmt

let alive kept place v =
  let counts = match place with In (v, _) -> kept.(v) | _ -> true in
  if v = dead && counts then fail "a pointer to what was freed"

(* What the programs see to, and not the collection. *)
let field s o v =
  if v > 0 then
    match (o.kind, (obj s v).kind) with
    | _, Shared | Lent _, Lent _ | Private _, Lent _ -> ()
    | Private h, Private h' when h = h' -> ()
    | _ -> fail "a pointer to o%d, which is not shared" v

let root s place v =
  match place with
  | Reg l | Record l ->
      let others = function Private h -> h <> l | _ -> false in
      let offered = s.leaves.(l).stage = Offered in
      if v > 0 && others (obj s v).kind && not offered then
        fail "leaf %d has o%d, which is another's" l v
  | _ -> ()

let broken _ s =
  if s.broken <> "" then Some s.broken
  else
    try
      iter (alive (kept is_lent s)) s;
      iter (root s) s;
      Array.iter (fun o -> Array.iter (field s o) o.fields) s.objects;
      None
    with Broken what -> Some what

let at_rest s =
  s.phase = Idle && Array.for_all (fun x -> x.activity = Ready) s.domains
