open Heap_model.Label
open State

type steps = (Heap_model.Label.t * State.t) list

(* {1 Domains} *)

(* What a domain has to know by the end of a phase. *)
let level = function
  | Idle -> 0
  | Barriers -> 1
  | Settle -> 2
  | Roots | Trace | Check _ | Sweep -> 3

let up_to_date s (x : domain) = x.seen = level s.phase && x.cycle = s.cycle

let scan rules s d =
  Grey.hand_over (Grey.scan_domain rules s d (Grey.to_pool rules)) d

let see rules s d =
  let seen = level s.phase in
  let x = { (s.domains.(d)) with seen; cycle = s.cycle } in
  let s = with_domain s d x in
  match seen with
  | 0 -> say "sees the end" [] s
  | 3 -> say "scans" [] (scan rules s d)
  | _ -> say "answers" [] s

let answer rules s d =
  let x = s.domains.(d) in
  if x.activity <> Ready || not (Memory.drained s d) then []
  else
    match s.phase with
    | _ when not (up_to_date s x) -> see rules s d
    | Check { left; brought } when List.mem d left ->
        let brought = brought || x.greys <> [] in
        let left = List.filter (( <> ) d) left in
        let phase = Check { left; brought } in
        say "gives its buffer" [] (Grey.hand_over { s with phase } d)
    | _ -> []

let alive s =
  let alive d = s.domains.(d).alive in
  List.filter alive (List.init (Array.length s.domains) Fun.id)

let answered s = List.for_all (fun d -> up_to_date s s.domains.(d)) (alive s)

(* {1 Leaves} *)

let waits rules x =
  List.mem x.stage [ Offered; Suspended; Finished ]
  && (not x.scanned)
  && Rule.(on Scans_waiting rules)

let scan_waiting rules s =
  let one l x =
    if not (waits rules x) then []
    else
      say "scans leaf %" [ l ] (Grey.scan_leaf rules s l (Grey.to_pool rules))
  in
  List.concat (List.mapi one (Array.to_list s.leaves))

(* {1 The beginning} *)

(* What is dead in a leaf may yet be set apart. *)
let doom s =
  let kept = kept (fun o -> o.kind <> Shared) s in
  let doomed i o = { o with doomed = o.kind = Shared && not kept.(i + 1) } in
  { s with objects = Array.mapi doomed s.objects }

let begin_roots rules s =
  let statics = List.init s.statics succ in
  List.fold_left (Grey.to_pool rules) { s with phase = Roots } statics

let clear rules s =
  let clear o = { o with mark = 0 } in
  if Rule.(on Flips rules) then s
  else { s with objects = Array.map clear s.objects }

let start rules (c : Scenario.t) s =
  let too_early = Rule.(on Awaits_end rules) && not (answered s) in
  if s.cycle = c.cycles || too_early then []
  else
    let s = clear rules s in
    let unscanned x = { x with scanned = false } in
    let leaves = Array.map unscanned s.leaves in
    let s = doom { s with cycle = s.cycle + 1; leaves } in
    say "begins a cycle" []
      (if Rule.(on Barriers_first rules) then { s with phase = Barriers }
       else begin_roots rules s)

(* {1 Marking} *)

let trace rules s =
  let one (v, f) =
    let pool = List.filter (( <> ) (v, f)) s.pool in
    let last = f + 1 = Array.length (obj s v).fields in
    let pool = if last then pool else (v, f + 1) :: pool in
    let w = (obj s v).fields.(f) in
    say "traces o%.%, o%" [ v; f; w ] (Grey.to_pool rules { s with pool } w)
  in
  List.concat_map one s.pool

let to_phase s label phase = say label [] { s with phase }

let traced rules s =
  if s.pool <> [] || not (answered s) then []
  else if Rule.(on Takes_buffers rules) then
    let phase = Check { left = alive s; brought = false } in
    to_phase s "has nothing to trace" phase
  else to_phase s "ends marking" Sweep

let checked rules s brought =
  if brought && Rule.(on Checks_again rules) then to_phase s "traces on" Trace
  else if s.pool <> [] then []
  else to_phase s "ends marking" Sweep

(* {1 The end} *)

let sweep rules s =
  let black = Grey.colour rules s.cycle in
  let white o = o.kind = Shared && o.mark <> black in
  let follow _ v = if v > 0 && white (obj s v) then dead else v in
  let settle o = if white o then gone o else { o with doomed = false } in
  if Array.exists (fun o -> o.doomed && not (white o)) s.objects then
    say "keeps garbage" [] { s with broken = "older garbage has been kept" }
  else
    let s = map follow s in
    let objects = Array.map settle s.objects in
    say "sweeps" [] { s with objects; phase = Idle }

(* Tracing needs no phase of its own: what is grey may be traced as soon as all
   have barriers. *)
let step rules c s =
  match s.phase with
  | Idle -> start rules c s
  | (Barriers | Settle) when not (answered s) -> []
  | Barriers when Rule.(on Settles rules) ->
      to_phase s "all have answered" Settle
  | Barriers | Settle -> say "all have answered" [] (begin_roots rules s)
  | Roots ->
      let scanned = answered s && not (Array.exists (waits rules) s.leaves) in
      (if scanned then to_phase s "all have scanned" Trace else [])
      @ scan_waiting rules s @ trace rules s
  | Trace -> traced rules s @ trace rules s
  | Check { left = []; brought } -> checked rules s brought @ trace rules s
  | Check _ -> trace rules s
  | Sweep -> sweep rules s
