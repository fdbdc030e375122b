open State

type program = { regs : value list; script : op list; fuel : int }

type t = {
  name : string;
  tasks : program list;
  domains : program list;
  spawned : int;
  menu : op list;
  statics : int;
  heap : value list list;
  fields : int;
  garbage : bool;
  cycles : int;
}

let leaf stage { regs; script; fuel } =
  let regs = Array.of_list regs in
  { stage; regs; record = nil; forked = -1; scanned = false; script; fuel }

let domain alive runs =
  let greys = [] and buffer = [] and activity = Ready in
  { alive; runs; dls = nil; seen = 0; cycle = 0; greys; buffer; activity }

let initial c =
  let obj i fields =
    let fields = Array.of_list fields in
    let name = if c.garbage then i + 1 else 0 in
    { kind = Shared; mark = 0; fields; name; doomed = false }
  in
  let n = List.length c.tasks in
  let alive d = d < List.length c.domains - c.spawned in
  let born is = if is then Running else Unborn in
  let tasks = List.mapi (fun t -> leaf (born (t = 0))) c.tasks in
  let owns = List.mapi (fun d -> leaf (born (alive d))) c.domains in
  let domain d _ = domain (alive d) (if d = 0 && n > 0 then 0 else n + d) in
  {
    objects = Array.of_list (List.mapi obj c.heap);
    statics = c.statics;
    leaves = Array.of_list (tasks @ owns);
    domains = Array.of_list (List.mapi domain c.domains);
    phase = Idle;
    cycle = 0;
    pool = [];
    broken = "";
  }
