type placement = Least | Idle_or_least | Last_core | In_domain

type shape = {
  filter : int;
  take : int;
  enough : int option;
  repeated : bool;
  until : [ `Runs | `Always | `Never ];
  select : [ `Highest | `Lowest | `First ];
  order : [ `Lowest | `Highest | `Number ];
  placement : placement;
  queues : int;
  counts : bool;
  weighed : bool;
  by_group : bool;
  synchronized : bool;
  newly_idle : bool option;
  rounds : int option;
  exempt_interrupts : bool;
}

let ule =
  {
    filter = 2;
    take = 2;
    enough = None;
    repeated = true;
    until = `Runs;
    select = `Highest;
    order = `Lowest;
    placement = Least;
    queues = 1;
    counts = false;
    weighed = false;
    by_group = false;
    synchronized = true;
    newly_idle = None;
    rounds = None;
    exempt_interrupts = false;
  }

let sprintf = Printf.sprintf

(* {1 The text} *)

(* A thread goes to one queue or the other by its slice. *)
let enqueue shape thread core =
  let move queue = sprintf "%s => %s%s;" thread core queue in
  if shape.queues = 1 then move "ready"
  else
    sprintf "if (%s.slice > 0) %s else %s" thread (move "ready") (move "late")

let number shape c =
  if not shape.counts then sprintf "count(%s)" c
  else
    sprintf "count(%s.current) + count(%s.ready)%s" c c
      (if shape.queues = 2 then sprintf " + count(%s.late)" c else "")

let until condition = sprintf "until (%s)" condition
let runs shape = number shape "dst" ^ " != 0"

let by_core shape =
  let phases =
    sprintf
      "select_core() { first(filtered %s) } => src\n\
       steal_thread(core dst, thread t) { if (src.cload - dst.cload >= %d) { \
       %s } } %s"
      (match shape.select with
      | `Highest -> "order = { highest cload }"
      | `Lowest -> "order = { lowest cload }"
      | `First -> "")
      shape.take (enqueue shape "t" "dst.")
      (Option.fold ~none:""
         ~some:(fun n -> until (sprintf "%s >= %d" (number shape "dst") n))
         shape.enough)
  in
  let ending =
    match shape.until with
    | `Runs -> until (runs shape)
    | `Always -> until "true"
    | `Never -> ""
  in
  sprintf
    "can_steal_core(core src, core dst) { src.cload - dst.cload >= %d } => \
     filtered\n\
     %s"
    shape.filter
    (if shape.repeated then sprintf "do { %s } %s" phases ending else phases)

let steal shape =
  if shape.by_group then
    sprintf
      "steal(group g, core dst) = {\n\
       can_steal_group(group h, group g) { group_load(h) - group_load(g) >= %d \
       } => groups\n\
       do { select_group() { first(groups) } => h %s } %s }"
      shape.filter (by_core shape)
      (until (runs shape))
  else sprintf "steal = { %s }" (by_core shape)

let balancing shape =
  if shape.by_group then
    "foreach (d in self.domains) { foreach (g in d.groups) { foreach (c in \
     g.cores order = { lowest cload }) steal_for(g, c); } }"
  else
    sprintf "foreach (c in system_cores() %s) steal_for(c);"
      (match shape.order with
      | `Lowest -> "order = { lowest cload }"
      | `Highest -> "order = { highest cload }"
      | `Number -> "")

let newly_idle shape =
  if shape.by_group then
    "foreach (d in self.domains) { foreach (g in d.groups) steal_for(g, self); \
     }"
  else "steal_for(self);"

let choice = function
  | Least -> ""
  | Last_core -> "if (t.interrupt && valid(t.last_core)) return t.last_core;"
  | Idle_or_least ->
      "foreach (g in t.last_core.d.groups) { foreach (c in g.cores) { if \
       (c.cload == 0) return c; } }"
  | In_domain ->
      "if (valid(t.last_core)) return first(t.last_core.d.cores order = { \
       lowest cload });"

let relaxations shape =
  let exempt event =
    sprintf
      "exempt %s when (target.interrupt) because \"interrupt threads stay near \
       their device\";\n"
      event
  in
  Option.fold ~none:""
    ~some:(sprintf "conserve within %d idle rounds;\n")
    shape.rounds
  ^ if shape.exempt_interrupts then exempt "new" ^ exempt "unblock" else ""

let declarations shape =
  let load = if shape.weighed then "int load = 1;" else "" in
  let late =
    if shape.queues = 2 then
      "READY set<thread> late : order = { lowest slice };"
    else ""
  in
  sprintf
    "thread = { core last_core; system bool interrupt; int slice = 2; %s }\n\
     core = { threads = { RUNNING thread current; READY set<thread> ready; %s \
     BLOCKED blocked; TERMINATED terminated; } system domain d; }\n"
    load late

let handlers shape =
  let on event body = sprintf "On %s { %s }\n" event body in
  let place = "core c = choose(e.target);" ^ enqueue shape "e.target" "c." in
  let stop = enqueue shape "e.target" "" in
  let late =
    if shape.queues = 2 then "if (!valid(next)) next = first(late);" else ""
  in
  let synchronized yes = if yes then "synchronized " else "" in
  let idle yes = on (synchronized yes ^ "newly_idle") (newly_idle shape) in
  String.concat ""
    [
      "handler (thread_event e) {\n";
      on "new" place;
      on "unblock" place;
      on "block" "e.target => blocked;";
      on "terminate" "e.target => terminated;";
      on "yield" stop;
      on "tick"
        (sprintf "e.target.slice--; if (e.target.slice <= 0) { %s }" stop);
      on "schedule"
        (sprintf
           "thread next = first(ready); %s next => current; next.last_core = \
            self; next.slice = 2;"
           late);
      "}\nhandler (core_event e) {\n";
      on (synchronized shape.synchronized ^ "balancing") (balancing shape);
      Option.fold ~none:"" ~some:idle shape.newly_idle;
      "}\n";
    ]

let functions shape =
  sprintf
    "core choose(thread t) { %s return first(system_cores() order = { lowest \
     cload }); }\n\
     int group_load(group p) { int total = 0; foreach (c in p.cores) total += \
     c.cload; return total; }\n"
    (choice shape.placement)

let policy shape =
  Random_policy.policy
    (String.concat ""
       [
         "scheduler built = {\n";
         relaxations shape;
         declarations shape;
         steal shape;
         handlers shape;
         functions shape;
         "}\n";
       ])

let random chance =
  let below n = Random.State.int chance n in
  let one l = List.nth l (below (List.length l)) in
  let yes () = Random.State.bool chance in
  {
    filter = below 5 - 1;
    take = below 5 - 1;
    enough = one [ None; Some 1; Some 2 ];
    repeated = yes ();
    until = one [ `Runs; `Always; `Never ];
    select = one [ `Highest; `Lowest; `First ];
    order = one [ `Lowest; `Highest; `Number ];
    placement = one [ Least; Idle_or_least; Last_core; In_domain ];
    queues = 1 + below 2;
    counts = yes ();
    weighed = yes ();
    by_group = below 3 = 0;
    synchronized = below 3 > 0;
    newly_idle = one [ None; None; Some true; Some false ];
    rounds = None;
    exempt_interrupts = false;
  }

let show s =
  Printf.sprintf
    "filter >= %d, take >= %d, enough %s, %s, until %s, select %s, order %s, \
     placement %s, %d queues%s%s%s"
    s.filter s.take
    (match s.enough with None -> "never" | Some n -> string_of_int n)
    (if s.repeated then "repeated" else "once")
    (match s.until with
    | `Runs -> "dst runs"
    | `Always -> "true"
    | `Never -> "false")
    (match s.select with
    | `Highest -> "highest"
    | `Lowest -> "lowest"
    | `First -> "first")
    (match s.order with
    | `Lowest -> "lowest"
    | `Highest -> "highest"
    | `Number -> "number")
    (match s.placement with
    | Least -> "least"
    | Idle_or_least -> "idle or least"
    | Last_core -> "last core"
    | In_domain -> "in domain")
    s.queues
    (if s.counts then ", by counts" else "")
    (if s.weighed then ", weighed" else "")
    ((if s.by_group then ", by group" else "")
    ^ (if s.synchronized then "" else ", not synchronized")
    ^
    match s.newly_idle with
    | None -> ""
    | Some true -> ", newly idle synchronized"
    | Some false -> ", newly idle")
