open Pointers

type value = int

let nil = 0
let dead = -1

type kind = Static | Frozen | Private of int | Lent of int | Shared of int

type spot = {
  chunk : int;
  young : bool;
  holed : bool;
  filled : bool;
  mixed : bool;
  large : bool;
}

type obj = {
  kind : kind;
  apart : bool;
  expired : bool;
  spot : spot option;
  met : bool;
  judged : bool;
  weak : bool;
  listed : bool;
  changed : bool;
  cont : bool;
  walked : bool;
  fields : value array;
  name : int;
  doomed : bool;
}

type reg = int

type op =
  | Alloc of reg
  | Alloc_weak of reg
  | Alloc_large of reg
  | Load of reg * reg * int
  | Store of reg * int * reg
  | Exchange of reg * reg * int * reg
  | Erase of reg * int
  | Clear of reg
  | Expires of reg
  | Fork of reg * int
  | Fork_apart of reg * int
  | Join
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Set_root of reg
  | Get_root of reg
  | Capture of reg * reg
  | Resume of reg * reg
  | Finalise of reg
  | Finalise_last of reg
  | Finaliser of reg
  | Spawn of reg * int
  | End

type stage = Unborn | Offered | Running | Suspended | Finished | Gone

type leaf = {
  stage : stage;
  regs : value array;
  record : value;
  told : value;
  last : value;
  remembered : (value * int) list;
  todo : value list;
  forked : int;
  scanned : bool;
  swept : bool;
  tended : bool;
  judged : bool;
  area : int;
  script : op list;
  fuel : int;
}

type write = { target : value; field : int; v : value }
type read = { reg : reg; from : value; slot : int }

type look = {
  whose : value;
  slot : int;
  key : value;
  data : value;
  lost : bool;
}

type activity =
  | Ready
  | Writes of write
  | Exchanges of reg * write
  | Replaced of write
  | Sweeps of value list
  | Reads of read * bool
  | Resumes of reg * value
  | Revives of read * value
  | Clears of { left : value list; found : look option; for_ : read option }

type domain = {
  alive : bool;
  runs : int;
  dls : value;
  answered : bool;
  greeted : bool;
  watching : bool;
  scanned : bool;
  greys : value list;
  buffer : write list;
  activity : activity;
}

type phase =
  | Idle
  | Rest
  | Greet
  | Again
  | Scan
  | Common of int
  | Trace
  | Flush
  | Final
  | Final_frozen
  | Clear
  | Clear_frozen
  | End

type t = {
  objects : obj array;
  statics : int;
  leaves : leaf array;
  domains : domain array;
  root : value;
  told : value;
  last : value;
  tells : bool;
  phase : phase;
  cycle : int;
  finished : bool;
  pool : (value * int) list;
  inbox : value list;
  brought : bool;
  finalised : bool;
  revived : value list;
  ephemerons : value list;
  looked : value list;
  again : bool;
  decided : bool;
  walking : value;
  stranded : bool;
  broken : string;
}

(* {1 Looking and changing} *)

let own s d = Array.length s.leaves - Array.length s.domains + d
let tasks s = own s 0
let leaf s d = s.domains.(d).runs
let obj s v = s.objects.(v - 1)
let leaf_of o = match o.kind with Private l | Lent l | Shared l -> l | _ -> -1
let data_slot = 1

let keys o =
  let fields = List.init (Array.length o.fields) Fun.id in
  List.filter (( <> ) data_slot) fields

let data_of o = if Array.length o.fields > data_slot then o.fields.(1) else nil

let is_lent o =
  match o.kind with Lent _ -> true | Private _ -> o.apart | _ -> false

let shared o = match o.kind with Frozen | Shared _ -> true | _ -> false
let pinned o = shared o || is_lent o
let with_obj s v o = { s with objects = set s.objects (v - 1) o }
let with_leaf s l x = { s with leaves = set s.leaves l x }
let with_domain s d x = { s with domains = set s.domains d x }
let each_obj f s = { s with objects = Array.map f s.objects }

let with_reg s l r v =
  let x = s.leaves.(l) in
  with_leaf s l { x with regs = set x.regs r v }

let become s d activity = with_domain s d { (s.domains.(d)) with activity }

let numbered p s =
  let number i o = if p o then [ i + 1 ] else [] in
  List.concat (List.mapi number (Array.to_list s.objects))

let marking s = match s.phase with Idle | Rest -> false | _ -> true
let watches s d = marking s && s.domains.(d).watching

let alive s =
  let alive d = s.domains.(d).alive in
  List.filter alive (List.init (Array.length s.domains) Fun.id)

(* A spawned domain counts, even before its first step. *)
let alone s =
  let has_heap l (x : leaf) =
    match x.stage with
    | Running | Suspended | Finished -> true
    | Offered -> l >= tasks s
    | Unborn | Gone -> false
  in
  let count = Array.mapi has_heap s.leaves in
  Array.fold_left (fun n has -> if has then n + 1 else n) 0 count = 1

let undecided s v =
  v > 0
  &&
  let o = obj s v in
  match o.kind with
  | Shared _ | Lent _ -> true
  | Frozen -> o.judged
  | Static | Private _ -> false

let unmet s v = undecided s v && not (obj s v).met

(* {1 All pointers} *)

type place =
  | In of value * int
  | Static_at
  | Reg of int
  | Record of int
  | Dls of int
  | Root
  | Told of int
  | Last of int
  | Remembered of int
  | Busy of int
  | Pool

let map_write f w =
  let target = f w.target in
  { w with target; v = f w.v }

let map_read f r = { r with from = f r.from }

let map_look f l =
  let whose = f l.whose in
  let key = f l.key in
  { l with whose; key; data = f l.data }

let map_activity f = function
  | Ready -> Ready
  | Writes w -> Writes (map_write f w)
  | Exchanges (r, w) -> Exchanges (r, map_write f w)
  | Replaced w -> Replaced (map_write f w)
  | Sweeps l -> Sweeps l
  | Reads (r, decided) -> Reads (map_read f r, decided)
  | Resumes (r, v) -> Resumes (r, f v)
  | Revives (r, v) ->
      let r = map_read f r in
      Revives (r, f v)
  | Clears { left; found; for_ } ->
      let left = List.map f left in
      let found = Option.map (map_look f) found in
      Clears { left; found; for_ = Option.map (map_read f) for_ }

let map_domain f d (x : domain) =
  let dls = f (Dls d) x.dls in
  let activity = map_activity (f (Busy d)) x.activity in
  let buffer = List.map (map_write (f (Busy d))) x.buffer in
  let greys = List.map (f (Busy d)) x.greys in
  { x with dls; activity; buffer; greys }

let map_leaf f l (x : leaf) =
  let regs = Array.map (f (Reg l)) x.regs in
  let told = f (Told l) x.told in
  let last = f (Last l) x.last in
  let remembered =
    List.map (fun (v, i) -> (f (Remembered l) v, i)) x.remembered
  in
  let todo = List.map (f (Record l)) x.todo in
  { x with regs; told; last; remembered; todo; record = f (Record l) x.record }

let map f s =
  for v = 1 to s.statics do
    ignore (f Static_at v)
  done;
  let leaves = Array.mapi (map_leaf f) s.leaves in
  let domains = Array.mapi (map_domain f) s.domains in
  let root = f Root s.root and told = f (Told (-1)) s.told in
  let last = f (Last (-1)) s.last in
  let pool = List.map (fun (v, i) -> (f Pool v, i)) s.pool in
  let inbox = List.map (f Pool) s.inbox in
  let revived = List.map (f Pool) s.revived in
  let ephemerons = List.map (f Pool) s.ephemerons in
  let looked = List.map (f Pool) s.looked in
  let walking = f Pool s.walking in
  let fields i o =
    { o with fields = Array.mapi (fun k v -> f (In (i + 1, k)) v) o.fields }
  in
  let objects = Array.mapi fields s.objects in
  let s = { s with leaves; domains; root; told; last; pool; inbox; objects } in
  { s with revived; ephemerons; looked; walking }

let iter f s = Pointers.iter map f s

let free o =
  {
    o with
    kind = Private (-1);
    apart = false;
    weak = false;
    listed = false;
    changed = false;
    expired = false;
    cont = false;
    walked = false;
    spot = None;
    fields = [||];
    name = 0;
    doomed = false;
  }
