open Label
open State
open Access

(* The name of a new object depends only on the leaf's own steps, not on the
   other leaves'. *)
let name s l =
  let x = s.leaves.(l) in
  (100 * (l + 1)) + List.length x.script + x.fuel

let judged s l = function
  | None -> s.leaves.(l).judged
  | Some p -> Chunk.in_one s p.chunk (fun o -> o.judged)

(* A new object may lie in a judged chunk. *)
type shape = Small | Weak | Large

let fresh (c : Scenario.t) s l shape met place =
  {
    kind = Private l;
    apart = false;
    expired = false;
    cont = false;
    walked = false;
    spot = place;
    met;
    judged = judged s l place;
    weak = shape = Weak;
    listed = shape = Weak;
    changed = shape = Weak && c.chunks;
    fields = Array.make c.fields nil;
    name = (if c.garbage then name s l else 0);
    doomed = false;
  }

(* A new object may count as marked although it is not traced, in two cases. The
   domain got the object's chunk after its scan. Or the chunk counted as marked
   for an earlier owner, a domain that has been scanned, and came from there
   through the pool or by the end of that domain. *)
let may_be_met rules s d =
  let scanned x = s.domains.(x).scanned in
  watches s d
  && (scanned d
     || ((not (Rules.on Takes_late rules)) && List.exists scanned (alive s)))

let alloc rules (c : Scenario.t) s d r shape =
  let l = leaf s d in
  let one met (s, place) =
    let objects = Array.append s.objects [| fresh c s l shape met place |] in
    let v = Array.length objects and tells = s.tells || shape = Weak in
    let what = if met then "o% = a new object, met" else "o% = a new object" in
    say what [ v ] (with_reg { s with objects; tells } l r v)
  in
  let places =
    if not c.chunks then [ (s, None) ]
    else
      let found =
        if shape = Large then [ Chunk.allocate_large s ]
        else Chunk.allocate rules s l
      in
      List.map (fun (s, p) -> (s, Some p)) found
  in
  let met =
    if may_be_met rules s d then List.concat_map (one true) places else []
  in
  List.concat_map (one false) places @ met

(* Gives an object, with all objects reachable from there, an expired pin, as if
   it had been published in place. *)
let expires rules s d v =
  let own s v =
    v > 0
    &&
    let o = obj s v in
    o.kind = Private (leaf s d) && (not o.apart) && not o.expired
  in
  let rec expire s v =
    if not (own s v) then s
    else
      let s = Mark.published rules s d v in
      let s = with_obj s v { (obj s v) with expired = true } in
      Array.fold_left expire s (obj s v).fields
  in
  if marking s || not (own s v) then []
  else say "o% has expired" [ v ] (expire s v)

let lacks s v f =
  v = nil || (obj s v).cont || f >= Array.length (obj s v).fields

let perform rules c s d op =
  let l = leaf s d in
  let x = s.domains.(d) in
  let reg r = s.leaves.(l).regs.(r) in
  match op with
  | Alloc r -> alloc rules c s d r Small
  | Alloc_weak r -> alloc rules c s d r Weak
  | Alloc_large r -> alloc rules c s d r Large
  | (Load (_, a, f) | Store (a, f, _) | Erase (a, f) | Exchange (_, a, f, _))
    when lacks s (reg a) f ->
      []
  | Load (r, a, f) when (obj s (reg a)).weak ->
      Weak.read s d { reg = r; from = reg a; slot = f }
  | Load (r, a, f) ->
      let v = Memory.field s d (reg a) f in
      say "loads o%.%: o%" [ reg a; f; v ] (with_reg s l r v)
  | Store (a, f, b) -> Store.store rules s d (reg a) f (reg b)
  | Exchange (r, a, f, b) -> Store.exchange rules s d r (reg a) f (reg b)
  | Erase (a, f) -> Store.store rules s d (reg a) f nil
  | Clear r -> say "forgets o%" [ reg r ] (with_reg s l r nil)
  | Expires r -> expires rules s d (reg r)
  | Fork (r, child) -> Tasks.fork rules s d (reg r) child
  | Fork_apart (r, child) -> Tasks.fork_apart rules s d (reg r) child
  | Join -> Tasks.join rules s d
  | Suspend -> Tasks.suspend rules s d
  | Set_dls r ->
      say "DLS := o%" [ reg r ] (with_domain s d { x with dls = reg r })
  | Get_dls r -> say "reads DLS: o%" [ x.dls ] (with_reg s l r x.dls)
  | Set_root r -> Store.set_root rules s d (reg r)
  | Get_root r -> Store.get_root s d r
  | Capture (k, r) ->
      List.map (Cont.captured (reg r)) (alloc rules c s d k Small)
  | Resume (r, k) -> Cont.resume rules s d r (reg k)
  | Finalise r ->
      let x = { (s.leaves.(l)) with told = reg r } in
      let s = { s with tells = true } in
      say "attaches a finaliser to o%" [ reg r ] (with_leaf s l x)
  | Finalise_last r ->
      let x = { (s.leaves.(l)) with last = reg r } in
      let s = { s with tells = true } in
      say "attaches a last finaliser to o%" [ reg r ] (with_leaf s l x)
  | Finaliser r -> (
      match s.leaves.(l).todo with
      | [] -> []
      | v :: todo ->
          let s = with_leaf s l { (s.leaves.(l)) with todo } in
          say "calls the finaliser of o%" [ v ] (with_reg s l r v))
  | Spawn (r, e) -> Domains.spawn rules s d (reg r) e
  | End -> Domains.end_ rules s d

let operations rules (c : Scenario.t) s d =
  let l = leaf s d in
  let x = s.leaves.(l) in
  match x.script with
  | op :: script -> perform rules c (with_leaf s l { x with script }) d op
  | [] ->
      let s' = with_leaf s l { x with fuel = x.fuel - 1 } in
      let menu = if x.fuel > 0 then c.menu else [] in
      List.concat_map (perform rules c s' d) menu
      @ Tasks.finish rules s d @ Tasks.join rules s d

(* The steps of a domain at its collections. *)
let collections rules (c : Scenario.t) s d =
  let collected scope what =
    if not c.chunks then []
    else List.concat_map (say what []) (Leaves.collect rules scope s d)
  in
  if Memory.drained s d then
    Sweep.start rules s d @ Tasks.expire rules s d @ Collector.adopt s d
    @ collected Leaves.Young "young collection"
    @ collected Leaves.Full "full collection"
  else []

let domain rules c s d =
  let x = s.domains.(d) in
  let does =
    match x.activity with
    | _ when not x.alive -> Domains.begin_ rules s d
    | Ready ->
        operations rules c s d @ Tasks.enter rules s d @ collections rules c s d
        @ Collector.answer rules s d
    | activity -> Store.go_on rules s d activity
  in
  let named ((format, numbers), s) =
    (("domain %: " ^ format, d :: numbers), s)
  in
  List.map named (Memory.flush s d @ does)

let next rules c s =
  let n = Array.length s.domains in
  let named ((format, numbers), s) = (("collector: " ^ format, numbers), s) in
  List.concat (List.init n (domain rules c s))
  @ List.map named (Collector.step rules c s)
