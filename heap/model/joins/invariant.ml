open State
open Access

exception Broken of string

let fail fmt = Printf.ksprintf (fun what -> raise (Broken what)) fmt

(* {1 Moments at which an invariant is checked} *)

let publishing s d =
  match s.domains.(d).activity with
  | Section _ -> true
  | Ready | Expire _ | Note _ | Bring_back _ | Append _ -> false

let exists_domain s p =
  let rec go d = d < Array.length s.domains && (p d || go (d + 1)) in
  go 0

(* No domain lowers pins. In the protocol [Second_look], every publishing domain
   may lower pins. *)
let quiet (rules : Fault.rules) s =
  match rules.protocol with
  | Exclusive | Asymmetric -> s.lowering < 0
  | Second_look -> not (exists_domain s (publishing s))

(* The domain that runs in the heap is in the middle of an operation. *)
let busy s heap =
  exists_domain s (fun d -> leaf s d = heap && s.domains.(d).activity <> Ready)

let at_rest s = not (exists_domain s (fun d -> s.domains.(d).activity <> Ready))

(* {1 Pointers} *)

let alive place v =
  match place with
  | Log _ | Remembered _ -> ()
  | _ -> if v = dead then fail "a pointer to an object that was moved or freed"

let pinned o = not (private_pin (pin_of o))

(* Invariant 2, for places that only the tasks of [heap] read: a pointer leads
   to the heap itself, to the frozen heap, or to a pinned object. *)
let own_or_shared s heap what v =
  if v > 0 then
    let o = obj s v in
    if o.heap <> heap && o.heap <> frozen && not (pinned o) then
      fail "%s of another heap points to o%d, of pin %d" what v (pin_of o)

let shared s depth what v =
  if v > 0 then
    let o = obj s v in
    if o.heap <> frozen && ((not (pinned o)) || pin_of o > depth) then
      fail "%s, of depth %d, points to o%d, of pin %d" what depth v (pin_of o)

let disordered s = Array.exists (fun t -> t.disordered) s.tasks

(* A task that holds an object pinned at a depth is below the fork of that
   depth. *)
let below s t v =
  if v > 0 then
    let o = obj s v in
    let pin = pin_of o in
    if
      o.heap >= 0 && pinned o && pin > 1
      && fork_of s t pin <> fork_of s o.heap pin
      && not (disordered s)
    then fail "task %d holds o%d with pin %d, of another fork" t v pin

(* The heap of a finished task's result: the task's own heap, and the parent's
   heap after the merge. *)
let heap_of_result s t =
  let parent = s.tasks.(t).parent in
  let waits = List.exists (fun f -> f.child = t) s.tasks.(parent).frames in
  if waits then t else parent

let check_place rules s place v =
  alive place v;
  let quiet = quiet rules s in
  match place with
  | Static -> if quiet then shared s 1 "a static variable" v
  | Reg t | Frame t | Cell t ->
      let heap = if is_own s t then leaf s (t - own s 0) else t in
      own_or_shared s heap "a task" v;
      if quiet then below s t v
  | Record t -> (
      match s.tasks.(t).stage with
      | Offered | Taken ->
          shared s max_int "an offered record" v;
          if quiet then below s t v
      | Finished -> own_or_shared s (heap_of_result s t) "a result" v
      | _ -> ())
  | Dls d ->
      own_or_shared s (leaf s d) "DLS" v;
      if quiet then below s (leaf s d) v
  | In _ | Busy _ | Log _ | Remembered _ -> ()

(* {1 Objects} *)

let remembered s heap i f o v =
  if v > 0 && ((not o.young) || o.pin = expired) then
    let w = obj s v in
    if
      w.heap = heap && w.young && w.pin = 0
      && not (List.mem (i, f) s.tasks.(heap).remembered)
    then fail "o%d.%d is not remembered" i f

let check_object rules s i o =
  let field f v =
    if o.heap = frozen then begin
      if quiet rules s then shared s 1 "a frozen object" v
    end
    else if pinned o then begin
      if quiet rules s && not (busy s o.heap) then
        shared s (pin_of o) "a pinned object" v
    end
    else begin
      own_or_shared s o.heap "a private object" v;
      remembered s o.heap i f o v
    end
  in
  Array.iteri field o.fields;
  if
    o.heap >= 0 && pinned o
    && pin_of o > s.tasks.(o.heap).depth
    && (not s.tasks.(o.heap).disordered)
    && (not s.tasks.(o.heap).put_off)
    && quiet rules s
    && not (busy s o.heap)
  then
    fail "o%d is pinned at %d, its heap is at %d" i (pin_of o)
      s.tasks.(o.heap).depth

(* The owner has noted the pin, and lets the pin expire in time. *)
let known s i o =
  let x = s.tasks.(o.heap) in
  let noted (v, depth) = v = i && depth >= o.pin in
  if
    o.pin > 1
    && not
         (private_pin o.pin || x.disordered || List.mem i x.lowered
        || List.exists noted x.log)
  then fail "o%d is pinned at %d, and its owner does not know" i o.pin

let owned rules s i o =
  if
    rules.Fault.protocol <> Second_look
    && o.heap >= 0 && quiet rules s
    && not (busy s o.heap)
  then known s i o

(* The depth of a heap is the level of the newest fork that is not joined. *)
let check_task s t x =
  let forks = List.length x.frames + List.length x.closed in
  let open_ = x.depth = x.start + forks && not (List.mem x.depth x.closed) in
  if not (open_ || x.disordered || busy s t) then
    fail "task %d has its heap at %d, and no such fork" t x.depth

let broken rules s =
  if s.broken <> "" then Some s.broken
  else
    try
      Places.iter (check_place rules s) s;
      Array.iteri (fun i o -> check_object rules s (i + 1) o) s.objects;
      Array.iteri (fun i o -> owned rules s (i + 1) o) s.objects;
      Array.iteri (check_task s) s.tasks;
      None
    with Broken what -> Some what
