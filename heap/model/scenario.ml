open State

type program = { script : op list; fuel : int }

type t = {
  name : string;
  domains : int;
  programs : program list;
  menu : op list;
  forks : bool;
  fields : int;
  static : bool;
  leaves : bool;
  world : bool;
}

let task first variable { script; fuel } =
  {
    stage = (if first then Running else Unborn);
    parent = -1;
    start = 1;
    depth = 1;
    regs = [| (if first then variable else nil); nil; nil |];
    frames = [];
    record = nil;
    late = -1;
    script;
    fuel;
    log = [];
    remembered = [];
  }

let domain d =
  let task = if d = 0 then 0 else -1 in
  { task; dls = nil; storing = false; buffer = []; activity = Ready }

let initial c =
  let fields = Array.make c.fields nil in
  let variable = { heap = frozen; young = false; pin = 0; fields } in
  let static = if c.static then 1 else nil in
  let tasks = List.mapi (fun i p -> task (i = 0) static p) c.programs in
  {
    static;
    objects = (if c.static then [| variable |] else [||]);
    tasks = Array.of_list tasks;
    domains = Array.init c.domains domain;
    lowering = -1;
    broken = "";
  }
