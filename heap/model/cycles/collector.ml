open Label
open State
open Access

type steps = (Label.t * State.t) list

(* {1 Answers} *)

let greet rules s d =
  let x = s.domains.(d) in
  let x = { x with greys = []; watching = true; greeted = true } in
  let s = Mark.judge rules (with_domain s d x) (own s d) in
  Mark.judge rules s (leaf s d)

let scan rules s d =
  let s = if s.domains.(d).watching then s else greet rules s d in
  if s.domains.(d).scanned then s else Mark.scan_domain rules s d

let forget s d =
  let x = s.domains.(d) in
  with_domain s d { x with watching = false; scanned = false; greys = [] }

let answer rules s d =
  let x = s.domains.(d) in
  let s' = with_domain s d { x with answered = true } in
  let yes what s = say what [] s in
  if x.answered || x.activity <> Ready || not (Memory.drained s d) then []
  else
    match s.phase with
    | Greet -> yes "greets" (greet rules s' d)
    | Scan -> yes "scans" (scan rules s' d)
    | Flush -> yes "gives its buffer" (Mark.flush s' d)
    | Final ->
        yes "takes finalisers of unmarked objects" (Weak.answer rules s d)
    | Clear -> yes "begins to clear" (Weak.answer rules s d)
    | End -> yes "sees the end" (forget s' d)
    | Idle | Rest | Again | Common _ | Trace | Final_frozen | Clear_frozen ->
        yes "answers" s'

(* {1 Stages} *)

let all_answered s = List.for_all (fun d -> s.domains.(d).answered) (alive s)

let stage label phase s =
  let ask x = { x with answered = not x.alive } in
  let untended (x : leaf) = { x with tended = false } in
  let domains = Array.map ask s.domains in
  let leaves = Array.map untended s.leaves in
  say label [] { s with phase; domains; leaves }

(* Notes the shared objects that are garbage when the cycle begins: the cycle
   must not mark them. Garbage of a bulk-pinned chunk counts too, although no
   domain looks at such an object. *)
let doom s =
  let kept = Reach.kept_strongly s in
  let doom i o = { o with doomed = pinned o && not kept.(i + 1) } in
  { s with objects = Array.mapi doom s.objects }

(* Clears the marks and judgements of the last cycle. *)
let number s =
  let fresh o =
    { o with met = false; walked = false; judged = o.kind = Frozen }
  in
  let unscanned (x : leaf) =
    { x with scanned = false; swept = false; judged = false }
  in
  let not_yet x = { x with greeted = false } in
  let s = doom (each_obj fresh { s with cycle = s.cycle + 1 }) in
  {
    s with
    finished = false;
    leaves = Array.map unscanned s.leaves;
    domains = Array.map not_yet s.domains;
  }

let first rules s =
  stage "begins to mark"
    (if Rules.on Barriers_first rules then Greet else Scan)
    (number s)

let begin_ rules (c : Scenario.t) s =
  if s.cycle = c.cycles || alone s then []
  else if Rules.on Awaits_rest rules then
    stage "begins a cycle" Rest { s with finished = false }
  else first rules s

(* {1 Roots that belong to no domain} *)

let statics s =
  { s with pool = List.init s.statics (fun i -> (i + 1, 0)) @ s.pool }

let common rules s =
  let grey = Mark.grey rules Mark.to_pool in
  let s = Mark.told rules grey s s.told in
  let s = List.fold_left grey s (Mark.of_c s) in
  say "all have scanned" [] (statics { s with phase = Common 0 })

(* Scans the offers, then the leaves that no domain runs, each once and in
   order. *)
let look rules s i =
  let n = tasks s in
  let s' = { s with phase = Common (i + 1) } in
  if i = 2 * n then say "traces" [] { s with phase = Trace }
  else
    let l = i mod n in
    let x = s.leaves.(l) in
    match x.stage with
    | Offered when i < n && Rules.on Scans_offers rules ->
        say "scans offer %" [ l ] (Mark.grey rules Mark.to_pool s' x.record)
    | (Suspended | Finished)
      when i >= n && (not x.scanned) && Rules.on Scans_waiting rules ->
        say "scans leaf %" [ l ] (Mark.scan_leaf rules s' l Mark.to_pool)
    | _ -> say "passes leaf %" [ l ] s'

(* {1 Marking} *)

(* A field of an ordinary object is greyed. The data of a weak object waits for
   its keys. *)
let trace_field rules s v f w =
  let grey = Mark.grey rules Mark.to_pool in
  if not (obj s v).weak then grey s w
  else if f <> data_slot then Mark.weakly rules grey s w
  else if w = nil then s
  else { s with ephemerons = v :: s.ephemerons }

let trace rules s =
  let one (v, f) =
    let pool = List.filter (( <> ) (v, f)) s.pool in
    if (obj s v).cont then Cont.walk { s with pool } v
    else
      let last = f + 1 = Array.length (obj s v).fields in
      let pool = if last then pool else (v, f + 1) :: pool in
      let w = (obj s v).fields.(f) in
      let again = s.again || s.looked <> [] in
      say "traces o%.%, o%" [ v; f; w ]
        (trace_field rules { s with pool; again } v f w)
  in
  Cont.walk_on rules s
  @ if s.walking = nil then List.concat_map one s.pool else []

let keys_met rules s e =
  let o = obj s e in
  let met slot = not (unmet s o.fields.(slot)) in
  if Rules.on Data_with_all rules then List.for_all met (keys o)
  else List.exists met (keys o)

let look_at rules s e =
  if keys_met rules s e then
    if Rules.on Traces_data rules then
      Mark.grey rules Mark.to_pool s (data_of (obj s e))
    else s
  else { s with looked = e :: s.looked }

let new_round s = { s with ephemerons = s.looked; looked = [] }

(* Looks at ephemerons in rounds, until a round has traced nothing. *)
let look_around rules s =
  match s.ephemerons with
  | e :: ephemerons when s.pool = [] ->
      say "looks at o%'s keys" [ e ] (look_at rules { s with ephemerons } e)
  | [] when s.pool = [] && s.again ->
      say "looks again" [] { (new_round s) with again = false }
  | _ -> []

let trace_on s = say "traces on" [] { (new_round s) with phase = Trace }

let take s =
  if s.inbox = [] then []
  else
    let pool = List.map (fun v -> (v, 0)) s.inbox @ s.pool in
    say "takes the buffers handed over" [] { s with pool; inbox = [] }

let ask rules s =
  if s.pool <> [] || s.walking <> nil || s.ephemerons <> [] || s.again then []
  else if Rules.on Takes_buffers rules then
    let brought = s.inbox <> [] && Rules.on Looks_again rules in
    stage "has nothing to trace" Flush { s with brought }
  else stage "ends marking" End s

(* {1 Deciding} *)

let decide rules s =
  let quiet = (not s.brought) && s.inbox = [] in
  if Rules.on Decides_quietly rules && not quiet then trace_on s
  else if Rules.on Clears rules then
    stage "decides" Clear { s with decided = true }
  else stage "ends marking" End s

(* All domains had empty grey stacks. A domain may nevertheless have marked a
   key without fields, which never enters a grey stack. So look at the
   ephemerons once more. *)
let quiet rules s =
  if not s.tells then stage "ends marking" End s
  else if Rules.on Looks_at_end rules && List.exists (keys_met rules s) s.looked
  then trace_on s
  else if s.finalised then decide rules s
  else stage "asks for finalisers" Final { s with finalised = true }

let finalised rules s =
  let each d =
    let s = Weak.take_frozen s (leaf s d) in
    match Weak.shade_revived rules s with
    | Some s -> trace_on s
    | None -> decide rules s
  in
  List.sort_uniq compare (List.concat_map each (alive s))

let flushed rules s =
  if not s.brought then quiet rules s
  else if Rules.on Checks_again rules then trace_on s
  else if s.pool = [] && s.inbox = [] then quiet rules s
  else trace rules s @ take s

let cleared rules s =
  let s = Weak.clear_frozen rules s in
  stage "ends marking" End { s with decided = false }

(* {1 The end} *)

let finish rules s =
  let keeps o = o.doomed && o.met in
  if Array.exists keeps s.objects then
    say "keeps garbage" [] { s with broken = "older garbage has been kept" }
  else
    let inbox = if Rules.on Empties rules then [] else s.inbox in
    let undoomed o = { o with doomed = false } in
    let s = each_obj undoomed (Weak.forget { s with inbox; phase = Idle }) in
    let s = { s with finished = true } in
    let in_ d = Sweep.frozen rules s (leaf s d) in
    let all = List.sort_uniq compare (List.map in_ (alive s)) in
    List.concat_map (say "ends the cycle" []) all

let give_up s =
  let forget s d =
    let s = forget s d in
    with_domain s d { (s.domains.(d)) with answered = true }
  in
  let s = { s with phase = Idle; finished = false; pool = []; inbox = [] } in
  let s = Weak.forget s in
  let undoomed o = { o with doomed = false } in
  List.fold_left forget (each_obj undoomed s) (alive s)

(* The full collection of the only heap. *)
let adopt s d =
  let l = leaf s d in
  let s' = Chunk.old s l in
  let ours o =
    let kind = if o.kind = Static then Static else Private l in
    { o with kind; judged = false }
  in
  let x = s.domains.(d) in
  if
    (not (alone s))
    || (not (Array.exists pinned s.objects))
    || x.activity <> Ready
    || not (Memory.drained s d)
  then []
  else say "adopts all" [] (each_obj ours (give_up s'))

let at_safe_points s = Array.for_all (fun x -> x.activity = Ready) s.domains

let step rules c s =
  match s.phase with
  | Idle -> begin_ rules c s
  | _ when alone s && Rules.on Ends_alone rules ->
      if at_safe_points s then say "gives up, alone" [] (give_up s) else []
  | Common i -> look rules s i @ trace rules s
  | Trace -> ask rules s @ trace rules s @ look_around rules s @ take s
  | Clear when not (Rules.on Awaits_cleared rules) -> cleared rules s
  | _ when not (all_answered s) -> []
  | Rest -> first rules s
  | Greet when Rules.on Settles rules -> stage "all have barriers" Again s
  | Greet | Again -> stage "no older store is left" Scan s
  | Scan -> common rules s
  | Flush when Rules.on Awaits_end rules || s.brought -> flushed rules s
  | Final ->
      let s = Weak.tend_waiting rules s in
      say "takes finalisers in waiting tasks' heaps" []
        { s with phase = Final_frozen }
  | Final_frozen -> finalised rules s
  | Clear ->
      let s = Weak.tend_waiting rules s in
      say "clears in waiting tasks' heaps" [] { s with phase = Clear_frozen }
  | Clear_frozen -> cleared rules s
  | Flush | End -> finish rules s
