type value = int

let nil = 0
let dead = -1

type kind = Private of int | Lent of int | Shared

type obj = {
  kind : kind;
  mark : int;
  fields : value array;
  name : int;
  doomed : bool;
}

type reg = int

type op =
  | Alloc of reg
  | Load of reg * reg * int
  | Store of reg * int * reg
  | Erase of reg * int
  | Clear of reg
  | Fork of reg * int
  | Fork_apart of reg * int
  | Join
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Spawn of reg * int
  | End

type stage = Unborn | Offered | Running | Suspended | Finished | Gone

type leaf = {
  stage : stage;
  regs : value array;
  record : value;
  forked : int;
  scanned : bool;
  script : op list;
  fuel : int;
}

type activity =
  | Ready
  | Writes of { target : value; field : int; v : value }
  | Replaced of value

type write =
  | Field of value * int * value
  | Mark of value * int
  | Share of value

type domain = {
  alive : bool;
  runs : int;
  dls : value;
  seen : int;
  cycle : int;
  greys : value list;
  buffer : write list;
  activity : activity;
}

type phase =
  | Idle
  | Barriers
  | Settle
  | Roots
  | Trace
  | Check of { left : int list; brought : bool }
  | Sweep

type t = {
  objects : obj array;
  statics : int;
  leaves : leaf array;
  domains : domain array;
  phase : phase;
  cycle : int;
  pool : (value * int) list;
  broken : string;
}

(* {1 Looking and changing} *)

let set a i x =
  let a = Array.copy a in
  a.(i) <- x;
  a

let own s d = Array.length s.leaves - Array.length s.domains + d
let leaf s d = s.domains.(d).runs
let obj s v = s.objects.(v - 1)
let is_lent o = match o.kind with Lent _ -> true | _ -> false
let with_obj s v o = { s with objects = set s.objects (v - 1) o }
let with_leaf s l x = { s with leaves = set s.leaves l x }
let with_domain s d x = { s with domains = set s.domains d x }

let with_reg s l r v =
  let x = s.leaves.(l) in
  with_leaf s l { x with regs = set x.regs r v }

let become s d activity = with_domain s d { (s.domains.(d)) with activity }

(* {1 All pointers} *)

type place =
  | In of value * int
  | Static
  | Reg of int
  | Record of int
  | Dls of int
  | Busy of int
  | Pool

let map_write f = function
  | Field (o, i, v) ->
      let o = f o in
      Field (o, i, f v)
  | Mark (o, n) -> Mark (f o, n)
  | Share o -> Share (f o)

let map_activity f = function
  | Ready -> Ready
  | Writes w ->
      let target = f w.target in
      Writes { w with target; v = f w.v }
  | Replaced v -> Replaced (f v)

let map_domain f d (x : domain) =
  let dls = f (Dls d) x.dls in
  let activity = map_activity (f (Busy d)) x.activity in
  let buffer = List.map (map_write (f (Busy d))) x.buffer in
  let greys = List.map (f (Busy d)) x.greys in
  { x with dls; activity; buffer; greys }

let map_leaf f l x =
  let regs = Array.map (f (Reg l)) x.regs in
  { x with regs; record = f (Record l) x.record }

let map f s =
  for v = 1 to s.statics do
    ignore (f Static v)
  done;
  let leaves = Array.mapi (map_leaf f) s.leaves in
  let domains = Array.mapi (map_domain f) s.domains in
  let pool = List.map (fun (v, i) -> (f Pool v, i)) s.pool in
  let fields i o =
    { o with fields = Array.mapi (fun k v -> f (In (i + 1, k)) v) o.fields }
  in
  { s with leaves; domains; pool; objects = Array.mapi fields s.objects }

let iter f s =
  let see place v =
    f place v;
    v
  in
  ignore (map see s)

(* {1 What is reached} *)

(* From these, through objects that [enters] says to go on with. *)
let reached s enters from =
  let mark = Array.make (Array.length s.objects + 1) false in
  let rec visit v =
    if v > 0 && not mark.(v) then begin
      mark.(v) <- true;
      if enters (obj s v) then Array.iter visit (obj s v).fields
    end
  in
  List.iter visit from;
  mark

let kept also s =
  let roots = ref [] in
  let root place v =
    match place with In _ -> () | _ -> roots := v :: !roots
  in
  iter root s;
  Array.iteri (fun i o -> if also o then root Pool (i + 1)) s.objects;
  reached s (fun _ -> true) !roots

let gone o =
  { o with kind = Private (-1); fields = [||]; name = 0; doomed = false }

(* {1 Names} *)

let named s =
  let name i o = (o.name, i + 1) in
  let named = List.mapi name (Array.to_list s.objects) in
  List.sort compare (List.filter (fun (name, _) -> name > 0) named)

(* Numbers by breadth first; then garbage, if it has a name. *)
let canonical s =
  let n = Array.length s.objects in
  let number = Array.make (n + 1) 0 and order = Array.make n 0 in
  let met = ref 0 and next = ref 0 in
  let meet v =
    if v > 0 && number.(v) = 0 then begin
      order.(!met) <- v;
      incr met;
      number.(v) <- !met
    end
  in
  let rest () =
    while !next < !met do
      Array.iter meet (obj s order.(!next)).fields;
      incr next
    done
  in
  iter (fun place v -> match place with In _ -> () | _ -> meet v) s;
  rest ();
  List.iter (fun (_, v) -> meet v) (named s);
  rest ();
  let objects = Array.init !met (fun i -> obj s order.(i)) in
  let s = { s with objects } in
  map (fun _ v -> if v > 0 then number.(v) else v) s

let key s = Digest.string (Marshal.to_string s [ Marshal.No_sharing ])
