open Label
open State
open Access

type steps = (Label.t * State.t) list

let free_all s dead_ones =
  let dies v = List.mem v dead_ones in
  let follow _ v = if dies v then dead else v in
  let settle i o = if dies (i + 1) then free o else o in
  let s = Places.map follow s in
  { s with objects = Array.mapi settle s.objects }

(* {1 Leaves} *)

let judged rules l o =
  let keeps = o.apart && Rules.on Apart_stays rules in
  let here = leaf_of o = l && o.judged && not keeps in
  here && if o.spot = None then pinned o else Chunk.has_bits o

(* A sweep begins right after a collection, when no object is young. *)
let start rules s d =
  let l = leaf s d in
  let begins s =
    let found = numbered (judged rules l) s in
    if found = [] then []
    else
      let s = with_leaf s l { (s.leaves.(l)) with swept = true } in
      say "begins to sweep leaf %" [ l ] (become s d (Sweeps found))
  in
  if s.leaves.(l).swept || not s.finished then []
  else if Rules.on Collects_first rules then
    List.concat_map begins (Leaves.collect rules Young s d)
  else begins s

let take_last rules dies s =
  let take (x : leaf) = if dies x.last then { x with last = nil } else x in
  if Rules.on Takes_swept_last rules then
    { s with leaves = Array.map take s.leaves }
  else s

(* Clears the weak pointers to objects that the sweep frees. A dead object may
   have been pinned again after the cycle cleared its heap. *)
let forget rules s dead_ones =
  let dies v = List.mem v dead_ones in
  let s = take_last rules dies s in
  let listed i o = o.listed && (dies (i + 1) || Array.exists dies o.fields) in
  let forget i o =
    if not (listed i o) then o
    else if dies (i + 1) then { o with listed = false }
    else
      {
        o with
        fields = Array.map (fun v -> if dies v then nil else v) o.fields;
      }
  in
  if Rules.on Sweep_forgets rules then
    { s with objects = Array.mapi forget s.objects }
  else if Array.exists Fun.id (Array.mapi listed s.objects) then
    { s with broken = "a heap's list of weak objects leads to a freed object" }
  else s

(* Looks at each object as it is now: the next cycle may have to wait for this
   sweep, and has not begun. *)
let go_on rules s d found =
  let is_dead v =
    let o = obj s v in
    pinned o && (not o.expired) && not o.met
  in
  let unjudged i (o : obj) =
    if List.mem (i + 1) found then { o with judged = false } else o
  in
  let dead_ones = List.filter is_dead found in
  let chunk v = Chunk.chunk_of (obj s v) in
  let chunks = List.sort_uniq compare (List.map chunk found) in
  let s = { s with objects = Array.mapi unjudged s.objects } in
  let s = forget rules (become s d Ready) dead_ones in
  let s = free_all s dead_ones in
  say "has swept" [] (Chunk.settle s (List.filter (( < ) 0) chunks))

(* {1 The frozen heap} *)

let frozen rules s l =
  let all = not (Rules.on Judged_before rules) in
  let judged o = o.kind = Frozen && (o.judged || all) in
  let s' = free_all s (numbered (fun o -> judged o && not o.met) s) in
  let take o =
    if judged o then { (Chunk.taken o) with kind = Shared l; judged = false }
    else o
  in
  each_obj take s'
