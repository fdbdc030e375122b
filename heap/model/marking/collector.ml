open Label
open State

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
    | End -> yes "sees the end" (forget s' d)
    | Idle | Rest | Again | Common _ | Trace -> yes "answers" s'

(* {1 Stages} *)

let all_answered s = List.for_all (fun d -> s.domains.(d).answered) (alive s)

let stage label phase s =
  let ask x = { x with answered = not x.alive } in
  say label [] { s with phase; domains = Array.map ask s.domains }

(* What is dead in a chunk that is set apart nobody looks at. *)
let doom s =
  let kept = kept s in
  let doom i o = { o with doomed = pinned o && not kept.(i + 1) } in
  { s with objects = Array.mapi doom s.objects }

(* What was met or judged was so in the last cycle. *)
let number s =
  let fresh o = { o with met = false; judged = o.kind = Frozen } in
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
    (if Rule.(on Barriers_first rules) then Greet else Scan)
    (number s)

let begin_ rules (c : Scenario.t) s =
  if s.cycle = c.cycles || alone s then []
  else if Rule.(on Awaits_rest rules) then
    stage "begins a cycle" Rest { s with finished = false }
  else first rules s

(* {1 What belongs to all, and to nobody} *)

let statics s =
  { s with pool = List.init s.statics (fun i -> (i + 1, 0)) @ s.pool }

let common rules s =
  let all = s.told :: Mark.of_c s in
  let s = List.fold_left (Mark.grey rules Mark.to_pool) s all in
  say "all have scanned" [] (statics { s with phase = Common 0 })

(* Offers, then heaps, in their order, each once. *)
let look rules s i =
  let n = tasks s in
  let s' = { s with phase = Common (i + 1) } in
  if i = 2 * n then say "traces" [] { s with phase = Trace }
  else
    let l = i mod n in
    let x = s.leaves.(l) in
    match x.stage with
    | Offered when i < n && Rule.(on Scans_offers rules) ->
        say "scans offer %" [ l ] (Mark.grey rules Mark.to_pool s' x.record)
    | (Suspended | Finished)
      when i >= n && (not x.scanned) && Rule.(on Scans_waiting rules) ->
        say "scans leaf %" [ l ] (Mark.scan_leaf rules s' l Mark.to_pool)
    | _ -> say "passes leaf %" [ l ] s'

(* {1 Marking} *)

let trace rules s =
  let one (v, f) =
    let pool = List.filter (( <> ) (v, f)) s.pool in
    let last = f + 1 = Array.length (obj s v).fields in
    let pool = if last then pool else (v, f + 1) :: pool in
    let w = (obj s v).fields.(f) in
    let s = Mark.grey rules Mark.to_pool { s with pool } w in
    say "traces o%.%, o%" [ v; f; w ] s
  in
  List.concat_map one s.pool

let take s =
  if s.inbox = [] then []
  else
    let pool = List.map (fun v -> (v, 0)) s.inbox @ s.pool in
    say "takes what was given" [] { s with pool; inbox = [] }

let ask rules s =
  if s.pool <> [] then []
  else if Rule.(on Takes_buffers rules) then
    let brought = s.inbox <> [] && Rule.(on Looks_again rules) in
    stage "has nothing to trace" Flush { s with brought }
  else stage "ends marking" End s

let flushed rules s =
  if not s.brought then stage "ends marking" End s
  else if Rule.(on Checks_again rules) then
    say "traces on" [] { s with phase = Trace }
  else if s.pool = [] && s.inbox = [] then stage "ends marking" End s
  else trace rules s @ take s

(* {1 The end} *)

let finish rules s =
  let keeps o = o.doomed && o.met in
  if Array.exists keeps s.objects then
    say "keeps garbage" [] { s with broken = "older garbage has been kept" }
  else
    let inbox = if Rule.(on Empties rules) then [] else s.inbox in
    let undoomed o = { o with doomed = false } in
    let s = each_obj undoomed { s with inbox; phase = Idle; finished = true } in
    let in_ d = Sweep.frozen rules s (leaf s d) in
    let all = List.sort_uniq compare (List.map in_ (alive s)) in
    List.concat_map (say "ends the cycle" []) all

let give_up s =
  let forget s d =
    let s = forget s d in
    with_domain s d { (s.domains.(d)) with answered = true }
  in
  let s = { s with phase = Idle; finished = false; pool = []; inbox = [] } in
  let undoomed o = { o with doomed = false } in
  List.fold_left forget (each_obj undoomed s) (alive s)

(* A full collection of the only heap. *)
let adopt s d =
  let l = leaf s d in
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
  else say "adopts all" [] (each_obj ours (give_up s))

let step rules c s =
  match s.phase with
  | Idle -> begin_ rules c s
  | _ when alone s && Rule.(on Ends_alone rules) ->
      say "gives up, alone" [] (give_up s)
  | Common i -> look rules s i @ trace rules s
  | Trace -> ask rules s @ trace rules s @ take s
  | _ when not (all_answered s) -> []
  | Rest -> first rules s
  | Greet when Rule.(on Settles rules) -> stage "all have barriers" Again s
  | Greet | Again -> stage "no older store is left" Scan s
  | Scan -> common rules s
  | Flush when Rule.(on Awaits_end rules) || s.brought -> flushed rules s
  | Flush | End -> finish rules s
