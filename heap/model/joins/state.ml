open Pointers

type value = int

let nil = 0
let dead = -1

type heap = int

let frozen = -1
let expired = 255

type obj = {
  heap : heap;
  young : bool;
  pin : int;
  apart : int;
  fields : value array;
}

type reg = int

type op =
  | Alloc of reg
  | Load of reg * reg * int
  | Store of reg * int * reg
  | Swap of reg * reg * int * reg
  | Clear of reg
  | Fork of reg * int
  | Fork_apart of reg * int
  | Join_of of int
  | Set_cell of reg
  | Get_cell of reg
  | Join
  | Join_oldest
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Get_static of reg

type stage =
  | Unborn
  | Chosen
  | Offered
  | Taken
  | Running
  | Suspended
  | Waking
  | Finished
  | Gone

type frame = { child : int; closure : value }

type task = {
  stage : stage;
  parent : int;
  start : int;
  depth : int;
  regs : value array;
  frames : frame list;
  record : value;
  late : int;
  script : op list;
  fuel : int;
  cell : value;
  log : (value * int) list;
  lowered : value list;
  closed : int list;
  put_off : bool;
  touched : bool;
  disordered : bool;
  remembered : (value * int) list;
}

type goal =
  | Write of { target : value; field : int; v : value; swap : reg option }
  | Offer of { child : int; closure : value; apart : bool }
  | Enter of int
  | Leave of stage

type phase =
  | Announce
  | Look
  | Retreat
  | Lock
  | Fence of int
  | Drain of int
  | Level
  | Walk
  | Holes of value list
  | Children of value
  | Act
  | Again

type part = Alone | Beside | Lowering

type section = {
  goal : goal;
  level : int;
  stack : value list;
  part : part;
  phase : phase;
}

type activity =
  | Ready
  | Section of section
  | Expire of { child : int; entries : value list; due : bool }
  | Note of int
  | Bring_back of int
  | Append of { child : int; lowered : value list }

type write =
  | Field of value * int * value
  | Pin of value * int
  | Touch of value
  | Untouch of heap
  | Storing of bool
  | Unlock

type domain = {
  task : int;
  dls : value;
  storing : bool;
  buffer : write list;
  activity : activity;
}

type t = {
  static : value;
  objects : obj array;
  tasks : task array;
  domains : domain array;
  lowering : int;
  puts_off : bool;
  deepest : int;
  broken : string;
}

let own s d = Array.length s.tasks - Array.length s.domains + d
let leaf s d = if s.domains.(d).task >= 0 then s.domains.(d).task else own s d
let is_own s t = t >= own s 0
let obj s v = s.objects.(v - 1)
let private_pin p = p = 0 || p = expired

let with_apart o pin =
  if o.apart > 0 && (private_pin pin || pin > o.apart) then o.apart else pin

let pin_of o = with_apart o o.pin
let with_obj s v o = { s with objects = set s.objects (v - 1) o }

let with_field s v f x =
  let o = obj s v in
  with_obj s v { o with fields = set o.fields f x }

let with_task s t x = { s with tasks = set s.tasks t x }

let with_reg s t r v =
  let x = s.tasks.(t) in
  with_task s t { x with regs = set x.regs r v }

let with_domain s d x = { s with domains = set s.domains d x }

let rec fork_of s t j =
  if t < 0 || j > s.tasks.(t).start then (t, j)
  else fork_of s s.tasks.(t).parent j

type place =
  | In of value * int
  | Static
  | Reg of int
  | Frame of int
  | Record of int
  | Cell of int
  | Dls of int
  | Busy of int
  | Log of int
  | Remembered of int

let map_task f i t =
  let pairs place = List.map (fun (v, n) -> (f (place i) v, n)) in
  let frame x = { x with closure = f (Frame i) x.closure } in
  {
    t with
    regs = Array.map (f (Reg i)) t.regs;
    frames = List.map frame t.frames;
    record = f (Record i) t.record;
    cell = f (Cell i) t.cell;
    lowered = List.map (f (Log i)) t.lowered;
    log = pairs (fun i -> Log i) t.log;
    remembered = pairs (fun i -> Remembered i) t.remembered;
  }

let map_goal f = function
  | Write w -> Write { w with target = f w.target; v = f w.v }
  | Offer o -> Offer { o with closure = f o.closure }
  | (Enter _ | Leave _) as g -> g

let map_phase f = function
  | Children v -> Children (f v)
  | Holes l -> Holes (List.map f l)
  | p -> p

let map_activity f = function
  | Ready -> Ready
  | Section x ->
      let goal = map_goal f x.goal in
      let stack = List.map f x.stack in
      Section { x with goal; stack; phase = map_phase f x.phase }
  | Expire e -> Expire { e with entries = List.map f e.entries }
  | Append a -> Append { a with lowered = List.map f a.lowered }
  | (Note _ | Bring_back _) as x -> x

let map_write f = function
  | Field (o, i, v) ->
      let o = f o in
      Field (o, i, f v)
  | Pin (o, n) -> Pin (f o, n)
  | Touch o -> Touch (f o)
  | (Storing _ | Unlock | Untouch _) as w -> w

let map_domain f d x =
  let dls = f (Dls d) x.dls in
  let buffer = List.map (map_write (f (Busy d))) x.buffer in
  { x with dls; buffer; activity = map_activity (f (Busy d)) x.activity }

let map f s =
  let static = f Static s.static in
  let tasks = Array.mapi (map_task f) s.tasks in
  let domains = Array.mapi (map_domain f) s.domains in
  let fields i o =
    { o with fields = Array.mapi (fun k v -> f (In (i + 1, k)) v) o.fields }
  in
  { s with static; tasks; domains; objects = Array.mapi fields s.objects }

let iter f s = Pointers.iter map f s

let canonical s =
  let roots meet =
    iter (fun place v -> match place with In _ -> () | _ -> meet v) s
  in
  let fields v = (obj s v).fields in
  let n = Array.length s.objects in
  let { order; number } = breadth_first n roots [] fields in
  let s = { s with objects = Array.map (obj s) order } in
  map (fun _ v -> if v > 0 then number.(v) else v) s

let key = Pointers.key
