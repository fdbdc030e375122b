open Label
open State
open Access

type steps = (Label.t * State.t) list

(* The first spawn freezes the leaf of the only domain. *)
let spawn rules s d v e =
  let l = own s e in
  if s.leaves.(l).stage <> Unborn || not (Memory.drained s d) then []
  else
    let s = if alone s then Pin.freeze s (leaf s d) else s in
    match Pin.publish rules For_good s d v with
    | None -> []
    | Some s ->
        let x = { (s.leaves.(l)) with stage = Offered; record = v } in
        say "spawns domain % with o%" [ e; v ] (with_leaf s l x)

let begins rules s d =
  let l = own s d in
  let x = s.leaves.(l) in
  let watching = Rules.on Joins rules && marking s && s.phase <> End in
  let early = match s.phase with Greet | Again -> true | _ -> false in
  let scanned = watching && not early and greeted = s.phase <> Rest in
  let y = s.domains.(d) in
  let y =
    { y with alive = true; answered = true; greeted; watching; scanned }
  in
  let s = Mark.taken rules (with_domain s d y) d x.record in
  let regs = Pointers.set x.regs 0 x.record in
  let x = { x with stage = Running; regs; record = nil; scanned } in
  say "begins" [] (with_leaf s l x)

let begin_ rules s d =
  if s.leaves.(own s d).stage = Offered then begins rules s d else []

(* Domain 0 is the program's and does not end. *)
let end_ rules s d =
  let l = own s d in
  let x = s.leaves.(l) in
  if d = 0 || leaf s d <> l || x.forked >= 0 || not (Memory.drained s d) then []
  else
    let s = Pin.freeze s l in
    let told =
      List.hd (List.filter (( <> ) nil) (x.told :: x.todo) @ [ s.told ])
    in
    let last = if x.last = nil then s.last else x.last in
    let s = { s with told; last } in
    let gives = watches s d && Rules.on Gives_at_end rules in
    let s = if gives then Mark.flush s d else s in
    let regs = Array.map (fun _ -> nil) x.regs in
    let x =
      {
        x with
        stage = Gone;
        regs;
        told = nil;
        last = nil;
        todo = [];
        script = [];
        fuel = 0;
      }
    in
    let y = s.domains.(d) in
    let y = { y with alive = false; watching = false; scanned = false } in
    say "ends" []
      (with_domain (with_leaf s l x) d { y with dls = nil; greys = [] })
