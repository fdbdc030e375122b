type change = string * string

type row = {
  construct : string;
  covers : string list;
  with_ : change list;
  without : change list;
  misuse : change list;
  says : string;
}

type refusal = {
  refused : string;
  by : string list;
  written : change list;
  why : string;
}

let base =
  "scheduler base = {\n\
   //top\n\
   thread = { int load = 1; int mark; /*thread*/ }\n\
   core = { threads = { RUNNING thread current; READY set<thread> ready; READY \
   set<thread> late /*order*/; BLOCKED blocked; TERMINATED ended; /*state*/ } \
   int mark; /*core*/ }\n\
   shared int seen;\n\
   steal = { can_steal_core(core src, core dst) { src.cload - dst.cload >= 2 } \
   => filtered do { select_core() { first(filtered /*select*/) } => src \
   steal_thread(core dst, thread t) { if (count(src) >= 2) t => dst.ready; } \
   /*enough*/ } until (count(dst) != 0) }\n\
   handler (thread_event e) {\n\
   On new { core c = least(); e.target => c.ready; }\n\
   On unblock { core c = least(); e.target => c.ready; }\n\
   On block { e.target => blocked; }\n\
   On terminate { e.target => ended; }\n\
   On yield { e.target => late; }\n\
   On tick { /*tick*/ }\n\
   On schedule { thread t = first(late); if (!valid(t)) t = first(ready); t => \
   current; }\n\
   //threads\n\
   }\n\
   handler (core_event e) {\n\
   On synchronized balancing { foreach (c in system_cores() /*loop*/) \
   steal_for(c); /*balancing*/ }\n\
   //cores\n\
   }\n\
   core least() { return first(system_cores() order = { lowest cload }); }\n\
   }\n"

let change text (old, now) =
  match Str.search_forward (Str.regexp_string old) text 0 with
  | at ->
      let stop = at + String.length old in
      String.sub text 0 at ^ now
      ^ String.sub text stop (String.length text - stop)
  | exception Not_found -> failwith ("not in the text: " ^ old)

let text changes = List.fold_left change base changes
let top s = ("//top", s)
let tick s = ("/*tick*/", s)
let on_core s = ("//cores", s)
let on_thread s = ("//threads", s)

let row construct covers ~with_ ?(without = []) ~misuse says =
  { construct; covers; with_; without; misuse; says }

(* A statement in [tick], compared with [without] at the same place. *)
let in_tick construct covers code ?(without = "") ~misuse says =
  row construct covers
    ~with_:[ tick code ]
    ~without:[ tick without ]
    ~misuse:[ tick misuse ]
    says

let event name body ~misuse says =
  row
    (Printf.sprintf "`On %s`" name)
    [ "event" ]
    ~with_:[ on_core (Printf.sprintf "On %s { %s }" name body) ]
    ~misuse:[ on_core (Printf.sprintf "On %s { %s }" name misuse) ]
    says

let stealing_words = "src.cload - dst.cload >= 2 }"
let into_late = ("t => dst.ready", "t => dst.late")
let mark_target = "e.target.mark++;"

(* All threads begin on one core, so that stealing shows. *)
let crowd =
  ( "core c = least(); e.target => c.ready; }\nOn un",
    "e.target => ready; }\nOn un" )

let all_late = (fst crowd, "e.target => late; }\nOn un")
[@@ocamlformat "disable"]

let rows =
  [
    row "`const`" [ "declaration_desc" ]
      ~with_:[ top "system const int N = 3;"; tick "e.target.mark += N;" ]
      ~without:[ top "const int N = 4;"; tick "e.target.mark += N;" ]
      ~misuse:[ top "const int N = seen;" ] "no variable, state or constant is called `seen`";
    row "`struct`" [ "braced" ]
      ~with_:
        [ top "type s = struct { int a = 2; }"; ("/*thread*/", "s x;");
          tick "e.target.mark += e.target.x.a;" ]
      ~without:
        [ top "type s = struct { int a = 3; }"; ("/*thread*/", "s x;");
          tick "e.target.mark += e.target.x.a;" ]
      ~misuse:[ top "type s = struct { int a = seen; }"; ("/*thread*/", "s x;") ]
      "no variable, state or constant is called `seen`";
    row "`enum`" [ "members" ]
      ~with_:
        [ top "type k = enum { A, B }"; ("/*thread*/", "k x = B;");
          tick "if (e.target.x == B) e.target.mark++;" ]
      ~without:
        [ top "type k = enum { A, B }"; ("/*thread*/", "k x = A;");
          tick "if (e.target.x == B) e.target.mark++;" ]
      ~misuse:[ top "type k = enum { A, A }" ] "declared twice";
    row "attributes, with values" [ "owner"; "variables"; "declarator" ]
      ~with_:[ ("int mark;", "int mark = 5;") ]
      ~misuse:[ ("int mark;", "int mark = none;") ] "int";
    row "`can_run`, where a thread may run" [ "func" ]
      ~with_:
        [ top "bool can_run(thread t, core c) { return valid(c); }";
          tick "if (can_run(e.target, self)) e.target.mark++;" ]
      ~without:
        [ top "bool can_run(thread t, core c) { return !valid(c); }";
          tick "if (can_run(e.target, self)) e.target.mark++;" ]
      ~misuse:[ top "bool can_run(thread t, core c) { return count(c) == 0; }" ]
      "asks for what runs or waits on a core";
    row "`lazy`" [ "modifiers"; "modifier" ]
      ~with_:[ top "lazy int more = seen + 2;"; tick "e.target.mark += more;" ]
      ~without:[ top "lazy int more = seen;"; tick "e.target.mark += more;" ]
      ~misuse:[ top "lazy int more;" ] "nothing says how it is computed";
    row "`shared`" [ "declared"; "only_system" ]
      ~with_:[ top "shared int here;"; tick "here++; e.target.mark += here;" ]
      ~without:[ top "shared int here;"; tick "e.target.mark += here;" ]
      ~misuse:[ top "int here;"; tick "here++;" ] "several cores may set `here`";
    row "`system int now();`" [ "parameters" ]
      ~with_:[ top "system int now();"; tick "e.target.mark += now() + 1;" ]
      ~without:[ top "system int now();"; tick "e.target.mark += 0;" ]
      ~misuse:[ top "int now();" ] "`now` has no body";
    row "`: displaced` of a state" [ "state_also"; "thread_state" ]
      ~with_:[ all_late; ("READY set<thread> late /*order*/", "READY thread late : displaced = ready") ]
      ~without:[ all_late ]
      ~misuse:[ ("READY set<thread> late /*order*/", "READY thread late") ]
      "nothing says where it goes when another comes";
    in_tick "other ready threads, moved" [ "statement" ]
      "foreach (x in ready) x => late;"
      ~misuse:"foreach (x in ready) x => ended;"
      "elsewhere than among the READY states";
    row "`: order` of a state" [ "state_also"; "order"; "keys"; "key" ]
      ~with_:
        [ ("/*order*/", ": order = { highest mark }"); tick mark_target;
          ("e.target => c.ready; }\nOn unblock",
           "e.target.mark = seen; seen++; e.target => c.late; }\nOn unblock") ]
      ~without:
        [ ("/*order*/", ": order = { lowest mark }"); tick mark_target;
          ("e.target => c.ready; }\nOn unblock",
           "e.target.mark = seen; seen++; e.target => c.late; }\nOn unblock") ]
      ~misuse:[ ("/*order*/", ": order = { highest mark, lowest mark }") ]
      "a key of this order already";
    row "`active`, `sleeping`" [ "core_state"; "activity" ]
      ~with_:
        [ top "cores = { active set<core> busy; sleeping set<core> resting; }";
          ("/*balancing*/", "foreach (c in resting) seen++;") ]
      ~without:
        [ top "cores = { active set<core> busy; sleeping set<core> resting; }";
          ("/*balancing*/", "foreach (c in busy) seen++;") ]
      ~misuse:[ top "cores = { active core busy; }" ] "any number of cores";
    event "enter_idle" "e.target.mark++;" ~misuse:"steal_for(self);" "steals";
    event "exit_idle" "self.mark++;" ~misuse:"least();" "looks at another core";
    event "entry" "e.target.mark++;" ~misuse:"steal_for(self);" "steals";
    event "exit" "self.mark++;" ~misuse:"steal_for(self);" "steals";
    event "synchronized newly_idle" "seen++;" ~misuse:"self.mark = 1;"
      "sets `mark` of a core";
    row "`On detach` beside `terminate`" [ "event" ]
      ~with_:[ on_thread "On detach { e.target.mark += 7; e.target => ended; }" ]
      ~without:[ on_thread "On detach { e.target => ended; }" ]
      ~misuse:[ on_thread "On detach { e.target => ready; }" ]
      "`detach` moves its thread to `ready`";
    row "`On detach` in place of `terminate`" [ "event" ]
      ~with_:
        [ ("On terminate { e.target => ended; }",
           "On detach { e.target.mark += 7; e.target => ended; }") ]
      ~without:
        [ ("On terminate { e.target => ended; }",
           "On detach { e.target => ended; }") ]
      ~misuse:[ ("On terminate { e.target => ended; }", "") ]
      "nothing handles `terminate`";
    row "`interface`: `attach`" [ "func" ]
      ~with_:
        [ top "interface = { void attach(thread t) { t.mark += 9; t => ready; } }" ]
      ~without:[ top "interface = { void attach(thread t) { t => ready; } }" ]
      ~misuse:[ top "interface = { void attach(thread t) { t => ended; } }" ]
      "`attach` moves its thread to `ended`";
    row "`interface`: `detach`" [ "func" ]
      ~with_:
        [ top "interface = { void detach(thread t) { t.mark += 9; t => ended; } }" ]
      ~without:[ top "interface = { void detach(thread t) { t => ended; } }" ]
      ~misuse:[ top "interface = { void detach(thread t) { t => ready; } }" ]
      "`detach` moves its thread to `ready`";
    row "functions" [ "parameter"; "block" ]
      ~with_:[ top "int two(int n) { return n + 2; }"; tick "e.target.mark += two(1);" ]
      ~without:[ top "int two(int n) { return n; }"; tick "e.target.mark += two(1);" ]
      ~misuse:[ top "int two(int n) { }" ] "returns nothing";
    row "`can_steal_core`, one parameter" [ "filter"; "steal_params"; "steal"; "stealing"; "steal_core" ]
      ~with_:
        [ ("can_steal_core(core src, core dst) { " ^ stealing_words,
           "can_steal_core(core c) { c.cload - self.cload >= 2 && c.cload - \
            dst.cload >= 2 }"); into_late; crowd ]
      ~without:
        [ ("can_steal_core(core src, core dst) { " ^ stealing_words,
           "can_steal_core(core c) { c.cload - self.cload >= 99 }"); into_late; crowd ]
      ~misuse:[ ("can_steal_core(core src, core dst)", "can_steal_core(thread t)") ]
      "unexpected parameters";
    row "`select_core`" [ "select" ]
      ~with_:[ ("/*select*/", "order = { highest cload }"); into_late; crowd ]
      ~without:[ ("first(filtered /*select*/)", "none"); into_late; crowd ]
      ~misuse:[ ("first(filtered /*select*/)", "filtered") ] "core";
    row "`steal_thread`, `until` behind it" [ "migrate"; "until" ]
      ~with_:[ into_late; crowd ] ~without:[ into_late; crowd; ("count(src) >= 2", "count(src) >= 99") ]
      ~misuse:[ ("t => dst.ready;", "t => src.ready;") ]
      "goes to the core it is stolen for";
    row "`steal` by groups" [ "steal_group"; "group_filter"; "group_select" ]
      ~with_:
        [ ("steal = { can", "steal(group g, core dst) = { can_steal_group(group \
                             h, group g) { true } => hs do { select_group() { \
                             first(hs) } => h can");
          ("until (count(dst) != 0) }", "until (count(dst) != 0) } until \
                                         (count(dst) != 0) }");
          ("steal_for(c);", "foreach (d in c.domains) { foreach (g in d.groups) \
                             { if (c in g.cores) steal_for(g, c); } }");
          into_late; crowd ]
      ~without:
        [ ("steal = { can", "steal(group g, core dst) = { can_steal_group(group \
                             h, group g) { false } => hs do { select_group() { \
                             first(hs) } => h can");
          ("until (count(dst) != 0) }", "until (count(dst) != 0) } until \
                                         (count(dst) != 0) }");
          ("steal_for(c);", "foreach (d in c.domains) { foreach (g in d.groups) \
                             { if (c in g.cores) steal_for(g, c); } }");
          into_late; crowd ]
      ~misuse:
        [ ("steal_for(c);", "foreach (d in c.domains) { foreach (g in d.groups) \
                             steal_for(g, c); }") ]
      "`steal` knows no groups here";
    in_tick "`foreach`, `break`" [ "stmt"; "stmt_desc" ]
      "foreach (t in ready) { e.target.mark++; } foreach (t in late) { \
       e.target.mark += 10; break; }"
      ~misuse:"break;" "`break` leaves a `foreach`";
    in_tick "`if`, `else`, `return`" [ "stmt_desc" ]
      "if (e.target.mark > 2) return; else e.target.mark += 2; e.target.mark++;"
      ~misuse:"if (1) return;" "bool";
    in_tick "assignments" [ "stmt_desc" ]
      "int x = 3; x -= 1; x++; x--; e.target.mark += x;" ~misuse:"self.cload = 1;"
      "is kept by the runtime";
    row "`=>`" [ "stmt_desc" ] ~with_:[ tick "e.target => ready;"; crowd ]
      ~without:[ crowd ] ~misuse:[ tick "e.target => blocked;" ]
      "`tick` moves its thread to `blocked`";
    in_tick "operators" [ "exp"; "binary"; "unary"; "postfix" ]
      "e.target.mark += (7 & 6 | 1) * 2 - 9 % 4 + (true && !false ? 1 : 0);"
      ~misuse:"e.target.mark = 1 / 0;" "zero";
    in_tick "division by anything" [ "binary" ]
      "e.target.mark += 7 / e.target.load + 7 % e.target.mark + 7 / seen;"
      ~without:"e.target.mark += 7 / e.target.load + 7 % e.target.load;"
      ~misuse:"e.target.mark = 1 % (2 - 2);" "zero";
    in_tick "`first`, `in`, `valid`, `empty`" [ "postfix"; "field" ]
      "bool b = true; thread t = first(ready order = { highest mark }); if (b && valid(t) && t in \
       ready && !empty(ready)) e.target.mark++;"
      ~misuse:"thread t = first(1);" "set";
    in_tick "`any`" [ "postfix" ]
      "if (any(system_cores()) == self) e.target.mark++; thread t = any(ready); if \
       (valid(t)) t.mark += 5;"
      ~misuse:"thread t = any(current);" "is no set";
    row "groups and domains as values" [ "ty" ]
      ~with_:
        [ ("/*thread*/", "group g; domain d;");
          top "group = { shared int used = 3; } domain = { shared int met = 1; }";
          tick "thread t = e.target; t.g.used += 5; t.d.met += 7; t.mark += t.g.used * 2 + t.d.met; \
                foreach (c in t.g.cores) t.mark++; foreach (c in t.d.cores) t.mark++; \
                foreach (h in t.d.groups) t.mark += h.used; \
                if (!valid(t.d)) t.d = first(self.domains); else \
                foreach (h in t.d.groups) { if (self in h.cores) t.g = t.g == h ? none : h; }" ]
      ~without:
        [ ("/*thread*/", "group g; domain d;");
          top "group = { shared int used = 3; } domain = { shared int met = 1; }";
          tick "thread t = e.target; t.g.used += 5; t.d.met += 7; t.mark += t.g.used * 2 + t.d.met; \
                foreach (c in t.g.cores) t.mark++; foreach (c in t.d.cores) t.mark++;" ]
      ~misuse:[ ("/*thread*/", "group g;"); tick "e.target.g = self;" ]
      "this has the type core, not group";
    row "`e.waker`" [ "field" ]
      ~with_:
        [ ("On unblock { core c = least();", "On unblock { core c = least(); if (valid(e.waker) && e.waker != e.target) e.target.mark += e.waker.mark + 3;");
          ("On new { core c = least();", "On new { core c = least(); if (valid(e.waker)) e.target.mark += e.waker.mark + 2;") ]
      ~misuse:[ tick "if (valid(e.waker)) e.target.mark++;" ]
      "`tick` has no waker";
    row "loops over sets in an order" [ "ty"; "ty_desc"; "of_elements" ]
      ~with_:[ crowd; ("/*loop*/", "order = { highest cload }"); ("steal_for(c);", "{ steal_for(c); seen = seen * 2 + count(c); if (seen > 1000) seen = 0; }") ]
      ~without:[ crowd; ("/*loop*/", "order = { lowest cload }"); ("steal_for(c);", "{ steal_for(c); seen = seen * 2 + count(c); if (seen > 1000) seen = 0; }") ]
      ~misuse:[ ("system_cores() /*loop*/", "1") ] "is no set";
  ]
[@@ocamlformat "disable"]

let refused refused by written why = { refused; by; written; why }

let refusals =
  let empty what = refused ("empty `" ^ what ^ "`") [ "braced" ] in
  [
    refused "`threads` at the top" [ "declaration" ]
      [ top "threads = { READY set<thread> all; }" ]
      "queues are a core's, and stand in `core`";
    refused "a queue at the top" [ "declaration" ]
      [ top "READY set<thread> all;" ] "a queue of the whole machine";
    refused "a queue in `group`, `domain`" [ "owned" ]
      [ top "domain = { READY set<thread> all; }" ] "a queue of a domain";
    refused "`displaced` of a queue" [ "thread_state"; "state_also" ]
      [ ("/*order*/", ": displaced = ready") ] "none is displaced";
    refused "moves in `On exit`" [ "event" ]
      [ on_core "On exit { foreach (t in ready) t => late; }" ]
      "`exit` moves a thread";
    empty "struct" [ top "type s = struct { }" ] "this `struct` is empty";
    empty "thread" [ top "thread = { }" ] "this `thread` is empty";
    empty "core" [ top "core = { }" ] "this `core` is empty";
    empty "group" [ top "group = { }" ] "this `group` is empty";
    empty "domain" [ top "domain = { }" ] "this `domain` is empty";
    empty "cores" [ top "cores = { }" ] "this `cores` is empty";
    empty "threads" [ ("int mark; /*core*/", "int mark; threads = { }") ]
      "this `threads` is empty";
    empty "interface" [ top "interface = { }" ] "this `interface` is empty";
    empty "handler" [ top "handler (core_event z) { }" ] "this `handler` is empty";
    refused "a type of `BLOCKED`, `TERMINATED`" [ "thread_state"; "state_ty"; "state_class" ]
      [ ("BLOCKED blocked", "BLOCKED set<thread> blocked") ]
      "no handler can look at the threads of this state";
    refused "a `system` state" [ "thread_state" ]
      [ ("READY set<thread> ready", "system READY set<thread> ready") ]
      "a state is the policy's";
    refused "`shared` in `core`" [ "core_item" ] [ ("/*core*/", "shared int x;") ]
      "the attributes of a core are not `shared`";
    refused "`shared lazy`" [ "modifier" ] [ top "shared lazy int x = 1;" ]
      "an attribute that is computed when it is read is never set";
    refused "a modifier twice" [ "modifiers" ] [ top "shared shared int x;" ]
      "this is said already";
    refused "another function of the `interface`" [ "func" ]
      [ top "interface = { void f(core c) { } }" ] "the system does not call `f`";
    refused "`attach` twice" [ "func" ]
      [ top "interface = { void attach(thread t) { t => ready; } void \
             attach(thread t) { t => late; } }" ]
      "the interface has `attach` twice";
    refused "a value of `attach`" [ "func" ]
      [ top "interface = { int attach(thread t) { t => ready; return 1; } }" ]
      "the result of `attach` is not used";
    refused "a function without a body" [ "declaration_desc" ] [ top "int f();" ]
      "`f` has no body";
    refused "parameters of a function of the system" [ "parameter" ]
      [ top "system int now(core c);" ] "takes no parameters here";
    refused "statements after `steal_thread`" [ "steal_core" ]
      [ ("/*enough*/ }", "seen = 1; }") ] "nothing can follow `steal_thread`";
    refused "a second `conserve`" [ "declaration_desc" ]
      [ top "conserve within 2 idle rounds; conserve within 3 idle rounds;" ]
      "`conserve` is said twice";
    refused "a key twice in an `order`" [ "keys" ]
      [ ("/*order*/", ": order = { highest mark, lowest mark }") ]
      "a key of this order already";
    refused "a structure twice" [ "declaration_desc" ]
      [ top "type s = struct { int a; } type s = struct { int b; }" ]
      "`s` is declared twice";
  ]
[@@ocamlformat "disable"]

(* Productions that are only parts of others. *)
let glue = [ "policy"; "name"; "core_item"; "declaration" ]
