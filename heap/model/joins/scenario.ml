open State
open Access

type program = { script : op list; fuel : int }

type t = {
  name : string;
  domains : int;
  programs : program list;
  own : program;
  menu : op list;
  forks : bool;
  fork_apart : bool;
  fields : int;
  static : bool;
  leaves : bool;
  world : bool;
  puts_off : bool;
  deepest : int;
}

let task stage variable { script; fuel } =
  {
    stage;
    parent = -1;
    start = 1;
    depth = 1;
    regs = [| variable; nil; nil |];
    frames = [];
    record = nil;
    late = -1;
    script;
    fuel;
    cell = nil;
    log = [];
    lowered = [];
    closed = [];
    put_off = false;
    touched = false;
    disordered = false;
    remembered = [];
  }

let domain d =
  let task = if d = 0 then 0 else -1 in
  { task; dls = nil; storing = false; buffer = []; activity = Ready }

let initial c =
  let fields = Array.make c.fields nil in
  let variable = { heap = frozen; young = false; pin = 0; apart = 0; fields } in
  let static = if c.static then 1 else nil in
  let root = task Running static (List.hd c.programs) in
  let others = List.map (task Unborn nil) (List.tl c.programs) in
  let owns = List.init c.domains (fun _ -> task Running static c.own) in
  {
    static;
    objects = (if c.static then [| variable |] else [||]);
    tasks = Array.of_list ((root :: others) @ owns);
    domains = Array.init c.domains domain;
    lowering = -1;
    puts_off = c.puts_off;
    deepest = c.deepest;
    broken = "";
  }
