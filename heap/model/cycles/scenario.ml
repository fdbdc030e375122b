open State
open Access

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
  weak : value list;
  chunks : bool;
  garbage : bool;
  cycles : int;
}

let leaf stage { regs; script; fuel } =
  {
    stage;
    regs = Array.of_list regs;
    record = nil;
    told = nil;
    last = nil;
    remembered = [];
    todo = [];
    forked = -1;
    scanned = false;
    swept = false;
    tended = false;
    judged = false;
    area = 0;
    script;
    fuel;
  }

let domain alive runs =
  {
    alive;
    runs;
    dls = nil;
    answered = true;
    greeted = false;
    watching = false;
    scanned = false;
    greys = [];
    buffer = [];
    activity = Ready;
  }

let obj c i fields =
  {
    kind = (if i < c.statics then Static else Frozen);
    apart = false;
    expired = false;
    cont = false;
    walked = false;
    spot = None;
    met = false;
    judged = false;
    weak = List.mem (i + 1) c.weak;
    listed = List.mem (i + 1) c.weak;
    changed = false;
    fields = Array.of_list fields;
    name = (if c.garbage then i + 1 else 0);
    doomed = false;
  }

let initial c =
  let n = List.length c.tasks in
  let alive d = d < List.length c.domains - c.spawned in
  let born is = if is then Running else Unborn in
  let tasks = List.mapi (fun t -> leaf (born (t = 0))) c.tasks in
  let owns = List.mapi (fun d -> leaf (born (alive d))) c.domains in
  let domain d _ = domain (alive d) (if d = 0 && n > 0 then 0 else n + d) in
  {
    objects = Array.of_list (List.mapi (obj c) c.heap);
    statics = c.statics;
    leaves = Array.of_list (tasks @ owns);
    domains = Array.of_list (List.mapi domain c.domains);
    root = nil;
    told = nil;
    last = nil;
    tells = c.weak <> [];
    phase = Idle;
    cycle = 0;
    finished = false;
    pool = [];
    inbox = [];
    brought = false;
    finalised = false;
    revived = [];
    ephemerons = [];
    looked = [];
    again = false;
    decided = false;
    walking = nil;
    stranded = false;
    broken = "";
  }
