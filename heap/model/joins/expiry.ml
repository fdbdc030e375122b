open State
open Access
open Fault
open Label

let become s d activity = with_domain s d { (s.domains.(d)) with activity }

(* {1 After the pins have expired} *)

let finished s child = child >= 0 && s.tasks.(child).stage = Finished

let read_result s d child =
  let s = become s d Ready in
  if not (finished s child) then ("goes on", [], s)
  else
    let c = s.tasks.(child) in
    let s = with_reg s (leaf s d) 0 c.record in
    let s = with_task s child { c with stage = Gone; record = nil } in
    ("reads the result, o%", [ c.record ], s)

let without s d child =
  let _, _, s = read_result s d child in
  s

let ends s d child =
  let format, numbers, s = read_result s d child in
  say format numbers s

(* {1 Conditions} *)

let is_apart t o = o.heap = t && o.apart > 0

let to_bring_back s d =
  let t = leaf s d in
  (not s.tasks.(t).disordered) && Array.exists (is_apart t) s.objects

(* A set-apart object may be handed to a later fork, so its pin does not expire,
   however deep the pin is. *)
let expires rules s x (v, depth) =
  let apart = v > 0 && (obj s v).apart > 0 in
  depth > x.depth && ((not apart) || rules.fault = Some Apart_expires)

let expire rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let log = if x.disordered then [] else x.log in
  let deep, log = List.partition (expires rules s x) log in
  let add l (v, _) = if List.mem v l then l else v :: l in
  let entries = List.fold_left add [] deep in
  let s = with_task s t { x with log } in
  become s d (Expire { child; entries; due = false })

(* Objects lowered while set apart are noted first: their pins expire together
   with the pins of the objects they point to. *)
let let_expire rules s d child =
  let t = leaf s d in
  let s = with_task s t { (s.tasks.(t)) with put_off = false } in
  if to_bring_back s d && rules.fault <> Some Expired_before_brought_back then
    become s d (Bring_back child)
  else expire rules s d child

let due rules s t =
  let x = s.tasks.(t) in
  let apart o = o.heap = t && o.apart > x.depth in
  (not x.disordered)
  && (List.exists (expires rules s x) x.log || Array.exists apart s.objects)

let put_off rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let put_off = x.put_off || due rules s t in
  let kept (_, depth) = depth <= x.depth in
  let forgets = rules.fault = Some Put_off_forgotten in
  let log = if forgets then List.filter kept x.log else x.log in
  let s = with_task s t { x with put_off; log } in
  if rules.fault = Some Put_off_expires then expire rules s d child
  else without s d child

let begin_ rules s d child =
  let later = if s.puts_off then [ put_off rules s d child ] else [] in
  let_expire rules s d child :: later

let put_off_earlier rules s d =
  if s.puts_off && due rules s (leaf s d) && Memory.drained s d then
    say "lets the pins that are due expire" [] (let_expire rules s d (-1))
  else []

(* {1 Bringing back} *)

let bring_back rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let depth =
    if rules.fault = Some Apart_brought_back_early then 0 else x.depth
  in
  if s.lowering >= 0 || not (Memory.drained s d) then []
  else
    let add s v = Publish.log s d v (obj s v).pin in
    let s = List.fold_left add s x.lowered in
    let s = with_task s t { (s.tasks.(t)) with lowered = [] } in
    let back o =
      if o.heap = t && o.apart > depth then { o with apart = 0 } else o
    in
    let s = { s with objects = Array.map back s.objects } in
    if rules.fault = Some Expired_before_brought_back then ends s d child
    else
      say "brings back objects that were set apart" [] (expire rules s d child)

(* {1 Expiry of logged pins} *)

let have_expired rules s d child =
  if to_bring_back s d && rules.fault = Some Expired_before_brought_back then
    say "has chunks set apart" [] (become s d (Bring_back child))
  else ends s d child

(* Some lowered pins do not expire now. The owner has to note their new
   depths. *)
let see_lowered rules s d child =
  let t = leaf s d in
  let ignored =
    s.tasks.(t).disordered || rules.fault = Some Lowered_not_noted
  in
  if ignored || not s.tasks.(t).touched then have_expired rules s d child
  else if rules.fault = Some Untouched_without_fence then
    let s = Memory.put s d (Untouch t) in
    say "sees that other domains have lowered" [] (become s d (Note child))
  else if not (Memory.drained s d) then []
  else
    let s = Memory.apply s d (Untouch t) in
    say "sees that other domains have lowered" [] (become s d (Note child))

let note rules s d child =
  let t = leaf s d in
  let add s v =
    let pin = Memory.own_pin s d v in
    let ours = (obj s v).heap = t && not (private_pin pin) in
    if ours && pin <= s.tasks.(t).depth then Publish.log s d v pin else s
  in
  let all = List.init (Array.length s.objects) succ in
  have_expired rules (List.fold_left add s all) d child

let step rules s d child entries due =
  match entries with
  | [] -> see_lowered rules s d child
  | v :: _ when v = dead ->
      say "" [] { s with broken = "a pin in the log was moved or freed" }
  | v :: rest when due ->
      let s = Memory.apply s d (Pin (v, expired)) in
      say "o% expires" [ v ]
        (become s d (Expire { child; entries = rest; due = false }))
  | v :: rest ->
      let pin = Memory.own_pin s d v in
      let deep =
        pin > s.tasks.(leaf s d).depth || rules.fault = Some Lowered_expires
      in
      let due = deep && not (private_pin pin) in
      let entries = if due then entries else rest in
      say "o% has pin %" [ v; pin ]
        (become s d (Expire { child; entries; due }))
