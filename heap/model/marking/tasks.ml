open Heap_model.Label
open State

type steps = (Heap_model.Label.t * State.t) list

let runs s d l = with_domain s d { (s.domains.(d)) with runs = l }

let when_shared s label numbers f =
  match s with None -> [] | Some s -> say label numbers (f s)

(* What a domain that has scanned gets is scanned. *)
let comes rule rules s d l =
  let x = s.leaves.(l) in
  if Grey.scanned s d && (not x.scanned) && Rule.on rule rules then
    Grey.scan_leaf rules s l (fun s v -> Grey.grey rules s d v)
  else s

(* {1 Forks and joins} *)

let may_fork s d child =
  s.leaves.(child).stage = Unborn
  && s.leaves.(leaf s d).forked < 0
  && Memory.drained s d

let offer s l v child =
  let s = with_leaf s l { (s.leaves.(l)) with forked = child } in
  let offered = { (s.leaves.(child)) with stage = Offered; record = v } in
  with_leaf s child offered

(* Nothing expires in a domain's own leaf. *)
let fork rules s d v child =
  let l = leaf s d in
  let published =
    if l = own s d then Store.share_all rules s d [ v ]
    else Some (Store.lend s d v)
  in
  if not (may_fork s d child) then []
  else
    when_shared published "forks % with o%" [ child; v ] (fun s ->
        offer s l v child)

let fork_apart s d v child =
  let l = leaf s d in
  let lend o = if o.kind = Private l then { o with kind = Lent l } else o in
  if l = own s d || not (may_fork s d child) then []
  else
    let s = { s with objects = Array.map lend s.objects } in
    say "sets all apart, forks % with o%" [ child; v ] (offer s l v child)

(* What the branch had, and what was lent for it, is private to who joins. *)
let adopt s l child =
  let own o =
    if List.mem o.kind [ Lent l; Lent child; Private child ] then
      { o with kind = Private l }
    else o
  in
  { s with objects = Array.map own s.objects }

(* The result of a branch, or its closure, if nobody took it. *)
let join rules s d =
  let l = leaf s d in
  let child = s.leaves.(l).forked in
  if child < 0 || not (Memory.drained s d) then []
  else
    match s.leaves.(child).stage with
    | Offered | Finished ->
        let s = comes Scans_joined rules s d child in
        let c = s.leaves.(child) in
        let s = with_leaf s child { c with stage = Gone; record = nil } in
        let s = with_leaf s l { (s.leaves.(l)) with forked = -1 } in
        say "joins %" [ child ] (with_reg (adopt s l child) l 0 c.record)
    | _ -> []

(* {1 Changing leaves} *)

(* A domain shares what it keeps itself before. *)
let share_roots rules s d =
  let own = Array.to_list s.leaves.(own s d).regs in
  Store.share_all rules s d (s.domains.(d).dls :: own)

let leave rules s d label become =
  let l = leaf s d in
  if l = own s d || not (Memory.drained s d) then []
  else
    when_shared (share_roots rules s d) label [ l ] (fun s ->
        with_leaf (runs s d (own s d)) l (become s.leaves.(l)))

let suspend rules s d =
  leave rules s d "suspends %" (fun x -> { x with stage = Suspended })

let finish rules s d =
  let ended x =
    let regs = Array.map (fun _ -> nil) x.regs in
    { x with stage = Finished; record = x.regs.(0); regs }
  in
  if s.leaves.(leaf s d).forked >= 0 then [] else leave rules s d "ends %" ended

let begin_ rules s d l =
  let s = comes Scans_entered rules s d l in
  let x = s.leaves.(l) in
  let regs = set x.regs 0 x.record and scanned = Grey.scanned s d in
  let x = { x with stage = Running; regs; record = nil; scanned } in
  with_leaf (runs s d l) l x

let resume rules s d l =
  let s = comes Scans_entered rules s d l in
  with_leaf (runs s d l) l { (s.leaves.(l)) with stage = Running }

let must_answer rules s d l =
  s.leaves.(l).scanned
  && (not (Grey.scanned s d))
  && Rule.(on Answers_first rules)

let enter rules s d =
  let one l x =
    let shared = share_roots rules s d in
    match x.stage with
    | Offered ->
        when_shared shared "takes %" [ l ] (fun s -> begin_ rules s d l)
    | Suspended when not (must_answer rules s d l) ->
        when_shared shared "resumes %" [ l ] (fun s -> resume rules s d l)
    | _ -> []
  in
  if leaf s d <> own s d || not (Memory.drained s d) then []
  else List.concat (List.mapi one (Array.to_list s.leaves))
