open Label
open State
open Access

type steps = (Label.t * State.t) list

let runs s d l = with_domain s d { (s.domains.(d)) with runs = l }

let when_published s label numbers f =
  match s with None -> [] | Some s -> say label numbers (f s)

(* {1 Leaves that change domains} *)

let has_scanned s d = watches s d && s.domains.(d).scanned

(* Scans a leaf before a domain enters or joins it, if only one of the two has
   been scanned. *)
let scan_before rule rules s d l =
  let first = Rules.on Scans_first rules && s.leaves.(l).scanned in
  let s =
    if first && watches s d && not (has_scanned s d) then
      Mark.scan_domain rules s d
    else s
  in
  let s =
    if has_scanned s d && (not s.leaves.(l).scanned) && Rules.on rule rules then
      Mark.scan_leaf rules s l (Mark.push d)
    else s
  in
  if Rules.on Tends_entered rules then Weak.tend rules s l else s

(* {1 Forks and joins} *)

let may_fork s d child =
  s.leaves.(child).stage = Unborn
  && s.leaves.(leaf s d).forked < 0
  && Memory.drained s d

let offer s l v child =
  let s = with_leaf s l { (s.leaves.(l)) with forked = child } in
  let offered = { (s.leaves.(child)) with stage = Offered; record = v } in
  with_leaf s child offered

let fork rules s d v child =
  if not (may_fork s d child) then []
  else
    let published = Pin.publish rules A_join s d v in
    when_published published "forks % with o%" [ child; v ] (fun s ->
        offer s (leaf s d) v child)

let fork_apart rules s d v child =
  let l = leaf s d in
  if l = own s d || not (may_fork s d child) then []
  else
    let forks s =
      say "sets all apart, forks % with o%" [ child; v ] (offer s l v child)
    in
    List.concat_map forks (Pin.set_apart rules s l)

let merge s l child =
  let of_ = function
    | Private c when c = child -> Private l
    | Lent c when c = child -> Lent l
    | Shared c when c = child -> Shared l
    | kind -> kind
  in
  let s = each_obj (fun o -> { o with kind = of_ o.kind }) s in
  let x = s.leaves.(l) in
  let c = s.leaves.(child) in
  let told = if c.told = nil then x.told else c.told in
  let last = if c.last = nil then x.last else c.last in
  let todo = c.todo @ x.todo and remembered = c.remembered @ x.remembered in
  let judged = x.judged || c.judged in
  let emptied = { c with told = nil; last = nil; todo = [] } in
  let s = with_leaf s child { emptied with remembered = []; area = 0 } in
  with_leaf s l { x with told; last; todo; remembered; judged }

(* Closes a fork. Only the first task lends, so one depth is enough. Set-apart
   chunks may stay set apart for the next fork, together with all lent
   objects. *)
let close rules s d =
  let l = leaf s d in
  let s = with_leaf s l { (s.leaves.(l)) with forked = -1 } in
  if l = 0 && tasks s > 0 && Pin.may_expire rules s then
    let later =
      if Array.exists (fun o -> o.apart) s.objects then [ s ] else []
    in
    Pin.expire rules s l :: later
  else [ s ]

let withdraw rules s d child =
  let c = { (s.leaves.(child)) with stage = Gone; record = nil } in
  List.concat_map
    (say "withdraws %" [ child ])
    (close rules (with_leaf s child c) d)

let join_finished rules s d child =
  let s = scan_before Scans_joined rules s d child in
  let s = merge s (leaf s d) child in
  let c = s.leaves.(child) in
  let s = with_leaf s child { c with stage = Gone; record = nil } in
  let joined s =
    let s = Mark.taken rules s d c.record in
    say "joins %" [ child ] (with_reg s (leaf s d) 0 c.record)
  in
  List.concat_map joined (close rules s d)

let join rules s d =
  let child = s.leaves.(leaf s d).forked in
  if child < 0 || not (Memory.drained s d) then []
  else
    match s.leaves.(child).stage with
    | Offered -> withdraw rules s d child
    | Finished -> join_finished rules s d child
    | _ -> []

(* The expiry put off by a join. *)
let expire rules s d =
  let due o = leaf_of o = 0 && is_lent o in
  if
    leaf s d = 0
    && tasks s > 0
    && s.leaves.(0).forked < 0 && Pin.may_expire rules s
    && Array.exists due s.objects && Memory.drained s d
  then say "lets the pins of lent objects expire" [] (Pin.expire rules s 0)
  else []

(* {1 Changing leaves} *)

(* Before the switch, a domain publishes the objects of its own roots. *)
let publish_roots rules s d =
  let own = Array.to_list s.leaves.(own s d).regs in
  Pin.publish_all rules s d (s.domains.(d).dls :: own)

let leave rules s d label become =
  let l = leaf s d in
  if l = own s d || not (Memory.drained s d) then []
  else
    when_published (publish_roots rules s d) label [ l ] (fun s ->
        with_leaf (runs s d (own s d)) l (become s.leaves.(l)))

let suspend rules s d =
  leave rules s d "suspends %" (fun x -> { x with stage = Suspended })

let finish rules s d =
  let ended x =
    let regs = Array.map (fun _ -> nil) x.regs in
    { x with stage = Finished; record = x.regs.(0); regs }
  in
  if s.leaves.(leaf s d).forked >= 0 then [] else leave rules s d "ends %" ended

(* The leaf of the branch is new. *)
let begin_ rules s d l =
  let x = s.leaves.(l) in
  let s = Mark.taken rules s d x.record in
  let regs = Pointers.set x.regs 0 x.record and scanned = has_scanned s d in
  let x = { x with stage = Running; regs; record = nil; scanned } in
  with_leaf (runs s d l) l x

let resume rules s d l =
  let s = scan_before Scans_entered rules s d l in
  when_published (publish_roots rules s d) "resumes %" [ l ] (fun s ->
      with_leaf (runs s d l) l { (s.leaves.(l)) with stage = Running })

let enter rules s d =
  let one l (x : leaf) =
    match x.stage with
    | Offered when l < tasks s ->
        when_published (publish_roots rules s d) "takes %" [ l ] (fun s ->
            begin_ rules s d l)
    | Suspended -> resume rules s d l
    | _ -> []
  in
  if leaf s d <> own s d || not (Memory.drained s d) then []
  else List.concat (List.mapi one (Array.to_list s.leaves))
