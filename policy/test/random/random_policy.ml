open Dromos_policy_syntax
open Dromos_policy_elaborate
open Draw

let sprintf = Printf.sprintf

let relaxations t =
  perhaps t 0.1 (sprintf "conserve within %d idle rounds;\n" (1 + below t 2))
  ^ perhaps t 0.15
      (sprintf "exempt %s when (%s) because \"it was drawn so\";\n"
         (one t [ "new"; "unblock" ])
         (one t [ "target.pinned"; "target.kind == URGENT" ]))

let attributes t =
  let load =
    match t.loads with
    | `None -> ""
    | `Constant n -> sprintf "int load = %d;" n
    | `Varied | `Wild -> "int load = 1; int born = 1; system int nice;"
  in
  sprintf
    "type class_of_thread = enum { USUAL, URGENT }\n\
     type cost = struct { int run; int sleep = 1; }\n\
     thread = { %s int slice = 2, key; class_of_thread kind%s; core last; \
     group home; system group cg; domain part; system bool pinned; %s cost c; \
     lazy bool old = slice < 0 || key %% 3 == 1; }\n\
     group = { system int level; shared int used; }\n\
     domain = { system bool wide; shared int seen; lazy bool met = seen > 0; }\n\
     type size_of_core = enum { SMALL, HUGE }\n\
     shared int placed;\n\
     lazy bool crowded = placed > 3;\n\
     system int draw();\n\
     system int now();\n\
     system int random();\n"
    load
    (perhaps t 0.3 " = URGENT")
    (if t.affinity = `Only then "system core only;" else "")

let states t =
  let order () =
    if t.patient then "" else
    one t
      [ ""; ""; ": order = { highest key }"; ": order = { lowest slice }";
        ": order = { lowest key, highest slice }" ]
  in
  let last = List.nth t.queues (List.length t.queues - 1) in
  let queue q =
    if t.one_thread && q = last && q <> "q0" then
      sprintf "READY thread %s : displaced = q0;" q
    else sprintf "shared READY set<thread> %s %s;" q (order ())
  in
  sprintf
    "core = { threads = { RUNNING thread current; %s BLOCKED blocked; \
     TERMINATED ended; } system shared int cload; system int rank; int turns; system bool big; system size_of_core sort; }\n"
    (String.concat " " (shuffled t (List.map queue t.queues)))
[@@ocamlformat "disable"]

let functions t =
  sprintf "core %s(thread %s) { %s }\n" t.choose t.thread
    (Moves_text.placement t)
  ^ (match t.affinity with
    | `None -> ""
    | `Only ->
        "bool can_run(thread x, core y) { return !valid(x.only) || x.only == \
         y; }\n"
    | `Big -> "bool can_run(thread x, core y) { return y.big || !x.pinned; }\n")
  ^ sprintf "void %s(thread %s, core %s) { %s %s }\n" t.settle t.thread t.core
      (Handlers_text.settings t t.thread)
      (enqueue t t.thread t.core)
  ^ "void note(thread x) { x.slice = 1; x.c.run++; }\n"
  ^ "int crowd(core c) { int n = 0; n += count(c); return n; }\n"
  ^ sprintf "int weight(int nice) { %s }\n" (Handlers_text.weight t)
  ^
  if t.by_group then
    sprintf
      "int total(group g) { int n = 0; foreach (c in g.cores) n += c.cload; \
       return n; }\n\
       int number(group g) { int n = 0; foreach (c in g.cores) n += count(c); \
       return n; }\n\
       int packed(group g) { int n = 0; foreach (c in g.cores) { if (%s >= 2) \
       n++; } return n; }\n\
       bool spare(group g) { foreach (c in g.cores) { if (%s >= 2) return \
       true; } return false; }\n"
      (number t "c") (number t "c")
  else ""

let text ?idle chance ~name =
  let t = Draw.make ?idle chance in
  let written =
    String.concat ""
      [
        sprintf "scheduler %s = {\n" name;
        relaxations t;
        attributes t;
        states t;
        (if t.steals then Moves_text.steal t else "");
        sprintf "\nhandler (thread_event e) { %s }\n"
          (Handlers_text.thread_events t);
        (match Handlers_text.core_events t with
        | "" -> ""
        | events -> sprintf "handler (core_event e) { %s }\n" events);
        functions t;
        "}\n";
      ]
  in
  match Parse.string written with
  | Ok tree -> Printer.format tree
  | Error fault -> failwith (Fault.to_string ~source:written fault)

let policy text =
  let failed faults =
    failwith
      (String.concat "\n" (List.map (Fault.to_string ~source:text) faults))
  in
  match Parse.string text with
  | Error fault -> failed [ fault ]
  | Ok tree -> (
      match Elaborate.policy tree with
      | Ok { policy; _ } -> policy
      | Error faults -> failed faults)
