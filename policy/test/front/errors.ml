(* The messages for wrong policies. Each policy is fifo.policy with one text
   replaced. *)

open Dromos_policy_syntax
open Dromos_policy_elaborate

let base = In_channel.with_open_bin Sys.argv.(1) In_channel.input_all

let change text (old, now) =
  match Str.search_forward (Str.regexp_string old) text 0 with
  | at ->
      String.sub text 0 at ^ now
      ^ String.sub text
          (at + String.length old)
          (String.length text - at - String.length old)
  | exception Not_found -> failwith ("not in fifo.policy: " ^ old)

let say name text =
  Printf.printf "== %s\n" name;
  let show fault = print_endline (Fault.to_string ~source:text fault) in
  (match Parse.string ~file:"x.policy" text with
  | Error fault -> show fault
  | Ok ast -> (
      match Elaborate.policy ast with
      | Ok { warnings = []; _ } -> print_endline "NOTHING IS SAID"
      | Ok { warnings; _ } -> List.iter show warnings
      | Error faults -> List.iter show faults));
  print_newline ()

let wrong name changes = say name (List.fold_left change base changes)
let whole = say
let block = "    On block {\n      e.target => blocked;\n"
let on_block code = (block, "    On block {\n" ^ code)
let on_tick code = ("On tick { }", "On tick {\n" ^ code ^ "    }")

let unblock =
  "    On unblock {\n\
  \      core idlest = least_loaded();\n\
  \      e.target => idlest.ready;\n"

let on_unblock code = (unblock, "    On unblock {\n" ^ code)
let attribute text = ("    int load = 1;\n", "    int load = 1;\n" ^ text)
let declare text = ("scheduler fifo = {\n", "scheduler fifo = {\n" ^ text)

let syntax () =
  whole "no policy" "hello world";
  whole "C" "int main(void) { return 0; }";
  whole "half a policy" "scheduler x = {";
  whole "a brace too many" "scheduler x = { } }";
  wrong "a misspelt keyword" [ ("handler (core", "handlr (core") ];
  wrong "a misspelt keyword inside" [ ("shared READY", "shared REDY") ];
  wrong "null" [ on_block "      if (e.target == null) return;\n" ];
  wrong "the clock" [ on_block "      int x = now();\n" ];
  wrong "a fraction" [ on_block "      int x = count(self) * 1.5;\n" ];
  wrong "order by"
    [ on_block "      core c = first(system_cores() order by cload);\n" ];
  wrong "an index" [ on_block "      thread t = ready[0];\n" ];
  wrong "a text is printed" [ on_block "      print(\"x\");\n" ];
  wrong "a number is printed" [ on_block "      printf(1);\n" ];
  wrong "a length" [ on_block "      int x = length(self);\n" ];
  wrong "no semicolon" [ on_block "      e.target => blocked\n" ];
  wrong "no name for what is filtered" [ ("} => stealable_cores", "}") ];
  wrong "return in the filter"
    [ ("      src.cload - dst.cload >= 2\n", "      return src.cload >= 2;\n") ];
  wrong "a semicolon in the filter"
    [ ("      src.cload - dst.cload >= 2\n", "      src.cload >= 2;\n") ];
  wrong "= for ==" [ on_tick "      if (e.target = none) return;\n" ];
  wrong "a loop of C" [ on_tick "      while (true) { }\n" ];
  wrong "an arrow of C" [ on_tick "      e->target => ready;\n" ];
  wrong "an order without direction"
    [ ("ready;\n", "ready : order = { load };\n") ];
  wrong "a typed loop" [ ("foreach (c in system", "foreach (core c in system") ];
  wrong "the minus of a book"
    [ ("src.cload - dst", "src.cload \xe2\x88\x92 dst") ];
  wrong "too many operators inside one another"
    [ on_tick ("      if (" ^ String.make 5001 '!' ^ "true) return;\n") ];
  wrong "an open comment" [ ("  core least", "  /* core least") ];
  wrong "an open text" [ declare "  exempt new when (true) because \"it is;\n" ];
  wrong "no reason" [ declare "  exempt new when (true);\n" ];
  wrong "rounds of what" [ declare "  conserve within 2 rounds;\n" ]

let names_and_types () =
  wrong "an unknown name" [ on_tick "      e.target => redy;\n" ];
  wrong "an unknown variable" [ ("idlest.ready", "idlst.ready") ];
  wrong "an attribute of nothing" [ on_tick "      if (load > 2) return;\n" ];
  wrong "an unknown attribute" [ on_tick "      e.target.lod = 2;\n" ];
  wrong "an unknown function" [ ("= least_loaded()", "= least_loadd()") ];
  wrong "an unknown event" [ ("On tick", "On tik") ];
  wrong "an event of the other kind" [ ("On tick { }", "On balancing { }") ];
  wrong "a name twice" [ declare "  int ready;\n" ];
  wrong "the language's own name" [ declare "  int count;\n" ];
  wrong "a number for a truth value" [ on_tick "      if (1) return;\n" ];
  wrong "an enumeration is no number"
    [
      declare "  type color = enum { RED, BLUE }\n";
      attribute "    color c;\n";
      on_tick "      if (e.target.c == 1) return;\n";
    ];
  wrong "a set for a core"
    [
      ( "return first(system_cores() order = { lowest cload })",
        "return system_cores()" );
    ];
  wrong "none of an unknown type"
    [ on_tick "      if (none == none) return;\n" ];
  wrong "none of a number" [ on_tick "      int x = none;\n" ];
  wrong "division by a zero that is computed"
    [ on_tick "      int x = 1 / (3 - 3);\n" ];
  wrong "division by zero" [ on_tick "      int x = 1 % 0;\n" ];
  wrong "any of a slot" [ on_tick "      thread t = any(current);\n" ];
  wrong "any in an order"
    [ on_tick "      core c = any(system_cores() order = { lowest cload });\n" ];
  wrong "an exemption by chance"
    [
      declare
        "  exempt new when (valid(any(system_cores()))) because \"it is so\";\n";
    ];
  wrong "an affinity by chance"
    [
      ( "  core least",
        "  bool can_run(thread t, core c) { return any(system_cores()) == c; }\n\
        \  core least" );
    ];
  wrong "the waker of a tick" [ on_tick "      if (valid(e.waker)) return;\n" ];
  let placed before after =
    on_unblock
      ("      core c = least_loaded();\n" ^ before
     ^ "      e.target => c.ready;\n" ^ after)
  in
  wrong "a waker that is set"
    [ attribute "    int x;\n"; placed "      e.waker.x = 1;\n" "" ];
  wrong "a waker that is moved" [ placed "      e.waker => c.ready;\n" "" ];
  wrong "a waker that is kept" [ placed "      thread w = e.waker;\n" "" ];
  wrong "a lazy attribute of the waker"
    [
      attribute "    lazy int heavy = load * 2;\n";
      placed "      if (e.waker.heavy > 2) c = self;\n" "";
    ];
  wrong "a waker that is read after the move"
    [ placed "" "      if (e.waker.load > 1) return;\n" ];
  wrong "recursion"
    [
      ( "return first(system",
        "if (true) return least_loaded();\n    return first(system" );
    ];
  wrong "a path without return"
    [
      ( "    return first(system_cores() order = { lowest cload });",
        "    if (true) return none;" );
    ];
  wrong "a lock" [ on_tick "      lock(self);\n" ];
  wrong "setting cload" [ on_tick "      self.cload = 0;\n" ];
  wrong "setting what is the system's"
    [ attribute "    system int nice;\n"; on_tick "      e.target.nice = 0;\n" ];
  wrong "several errors"
    [ on_tick "      x = 1;\n      y = 2;\n      if (z) return;\n" ]

let states_and_moves () =
  wrong "no state to run in"
    [ ("      RUNNING thread current;\n", ""); ("      t => current;\n", "") ];
  wrong "two states to run in"
    [
      ( "      BLOCKED blocked;",
        "      RUNNING thread other;\n      BLOCKED blocked;" );
    ];
  wrong "a state no thread comes to"
    [
      ( "      BLOCKED blocked;",
        "      READY set<thread> idle;\n      BLOCKED blocked;" );
    ];
  wrong "a state no thread leaves"
    [
      ( "      BLOCKED blocked;",
        "      READY set<thread> late;\n      BLOCKED blocked;" );
      on_tick "      e.target => late;\n";
    ];
  wrong "no handler" [ (block ^ "    }\n", "") ];
  wrong "two handlers" [ ("On tick", "On yield") ];
  wrong "nowhere to go" [ on_block "" ];
  wrong "nowhere on one path"
    [
      on_unblock
        "      core c = least_loaded();\n\
        \      if (c.cload == 0) return;\n\
        \      e.target => c.ready;\n";
    ];
  wrong "moved twice"
    [
      on_unblock
        "      if (true) e.target => ready;\n      e.target => ready;\n";
    ];
  wrong "moved in a loop"
    [ on_unblock "      foreach (c in system_cores()) e.target => c.ready;\n" ];
  wrong "another thread after its own"
    [
      on_block
        "      e.target => blocked;\n\
        \      thread x = first(ready);\n\
        \      x => ready;\n";
    ];
  wrong "to the wrong state" [ on_block "      e.target => ready;\n" ];
  wrong "to another core"
    [
      on_tick "      core c = e.target.last;\n      e.target => c.ready;\n";
      attribute "    core last;\n";
    ];
  wrong "to no core"
    [
      attribute "    core last;\n";
      on_unblock "      e.target => e.target.last.ready;\n";
    ];
  wrong "another thread to where it never runs"
    [ on_tick "      thread t = first(ready);\n      t => blocked;\n" ];
  wrong "another thread to another core"
    [
      on_tick
        "      thread t = first(ready);\n\
        \      foreach (c in self.domains) { foreach (d in c.cores) t => \
         d.ready; }\n";
    ];
  wrong "the running thread under another name, twice"
    [ on_tick "      e.target => ready;\n      current => ready;\n" ];
  wrong "a thread that an attribute holds"
    [
      attribute "    thread other;\n";
      on_tick "      thread t = e.target.other;\n      t => ready;\n";
    ];
  wrong "another thread in a handler without a lock"
    [ on_unblock "      thread o = first(ready);\n      o => ready;\n" ];
  let ready = "shared READY set<thread> ready;\n" in
  let state text = (ready, ready ^ "      " ^ text ^ "\n") in
  let slot = state "READY thread next : displaced = ready;" in
  let looks =
    [
      slot;
      ( "      thread t = first(ready);\n",
        "      thread t = next;\n      if (!valid(t)) t = first(ready);\n" );
    ]
  in
  wrong "another thread where a slot displaces it"
    (looks @ [ on_unblock "      thread o = first(next);\n      o => ready;\n" ]);
  wrong "a slot, in every way it is looked at"
    (looks
    @ [
        ("idlest.ready;\n    }\n    On tick", "idlest.next;\n    }\n    On tick");
        on_tick
          "      if (empty(next) || count(next) > 1 || first(next) == none || \
           e.target in next || next == e.target) return;\n\
          \      foreach (x in next) x => ready;\n";
      ]);
  wrong "a slot that is set" (looks @ [ on_tick "      next = e.target;\n" ]);
  wrong "a slot that displaces to nowhere" [ state "READY thread next;" ];
  wrong "a slot that displaces to itself"
    [ state "READY thread next : displaced = next;" ];
  wrong "a slot that displaces to a slot"
    [
      state
        "READY thread next : displaced = nexu; READY thread nexu : displaced = \
         ready;";
    ];
  wrong "a slot that displaces to sleep"
    [ state "READY thread next : displaced = blocked;" ];
  wrong "a slot that displaces to a state that is none"
    [ state "READY thread next : displaced = redy;" ];
  wrong "a queue that displaces"
    [ state "READY set<thread> next : displaced = ready;" ];
  wrong "a slot with an order"
    [ state "READY thread next : order = { lowest load };" ];
  wrong "a state with something else"
    [ state "READY thread next : replaced = ready;" ];
  wrong "the running thread is displaced"
    [
      ("RUNNING thread current;", "RUNNING thread current : displaced = ready;");
    ];
  wrong "a queue of the machine" [ declare "  READY set<thread> all;\n" ];
  wrong "a set of the machine" [ declare "  shared set<thread> all;\n" ];
  wrong "a queue of a group"
    [ declare "  group = { READY set<thread> all; }\n" ];
  wrong "a queue of a domain"
    [ declare "  domain = { threads = { READY set<thread> all; } }\n" ];
  wrong "a set of a core"
    [ ("    system shared int cload;\n", "    set<thread> all;\n") ];
  wrong "a core that stops places its threads"
    [
      ( "  handler (core_event e) {\n",
        "  handler (core_event e) {\n\
        \    On exit { foreach (t in ready) { core c = least_loaded(); t => \
         c.ready; } }\n" );
    ];
  wrong "the chosen thread back to a queue"
    [ ("      t => current;\n", "      t => current;\n      t => ready;\n") ];
  wrong "the chosen thread back to a queue, in a loop"
    [
      ( "      t => current;\n",
        "      foreach (x in ready) { x => ready; t => current; t = none; }\n"
      );
    ];
  wrong "schedule moves none" [ ("      t => current;\n", "") ];
  wrong "schedule may give up"
    [ ("      t => current;\n", "      if (self.cload == 0) t => current;\n") ];
  wrong "schedule runs a thread that it remembers"
    [
      ("    system shared int cload;\n", "    thread last;\n");
      ( "thread t = first(ready);\n",
        "thread t = self.last;\n      if (!valid(t)) t = first(ready);\n" );
    ];
  wrong "stealing to another core" [ ("t => dst.ready;", "t => src.ready;") ];
  wrong "stealing to oneself" [ ("t => dst.ready;", "t => ready;") ]

let phases () =
  wrong "looking from tick" [ on_tick "      core c = least_loaded();\n" ];
  wrong "looking at a queue"
    [
      on_unblock
        "      core c = least_loaded();\n\
        \      if (empty(c.ready)) e.target => ready;\n\
        \      else e.target => c.ready;\n";
    ];
  wrong "looking after moving"
    [
      on_unblock
        "      e.target => ready;\n\
        \      core c = least_loaded();\n\
        \      e.target.load = c.cload;\n";
    ];
  wrong "an attribute that other cores may be setting"
    [ declare "  int turn;\n"; on_tick "      turn++;\n" ];
  wrong "an attribute of another core"
    [
      ("    system shared int cload;\n", "    int hot;\n");
      on_unblock
        "      core c = least_loaded();\n\
        \      if (c.hot > 0) e.target => ready;\n\
        \      else e.target => c.ready;\n";
    ];
  wrong "stealing from tick" [ on_tick "      steal_for(self);\n" ];
  wrong "the load of a running thread" [ on_tick "      e.target.load = 2;\n" ];
  wrong "the load of a thread that waits"
    [
      ("    int load = 1;\n", "    int load = 1;\n    thread friend;\n");
      on_unblock
        "      e.target.friend.load = 2;\n\
        \      core c = least_loaded();\n\
        \      e.target => c.ready;\n";
    ];
  let marking = "  shared int n;\n  bool mark() { n = 1; return true; }\n" in
  wrong "a filter that sets"
    [ declare marking; ("src.cload - dst.cload >= 2\n    }", "mark()\n    }") ];
  wrong "an end that sets"
    [ declare marking; ("until (count(dst) != 0)", "until (mark())") ];
  wrong "an exemption that sets"
    [ declare (marking ^ "  exempt new when (mark()) because \"why not\";\n") ];
  wrong "rounds without end" [ declare "  conserve within 17 idle rounds;\n" ];
  wrong "no load" [ ("int load = 1;", "int load;") ];
  let affinity name = wrong ("an affinity " ^ name) in
  affinity "of queues"
    [ declare "  bool can_run(thread t, core c) { return count(c) < 3; }\n" ];
  affinity "that changes"
    [
      declare
        "  shared int n;\n\
        \  bool can_run(thread t, core c) { return n > 0 && c == self; }\n";
    ];
  affinity "of one thread"
    [ declare "  bool can_run(thread t) { return true; }\n" ];
  wrong "an exemption of ticks"
    [ declare "  exempt tick when (true) because \"why not\";\n" ];
  wrong "nearly an exemption of waits"
    [ declare "  exempt wating when (true) because \"why not\";\n" ];
  wrong "waits without a reason"
    [ declare "  exempt waiting when (true) because \" \";\n" ];
  wrong "waits by a number"
    [ declare "  exempt waiting when (target.load) because \"why not\";\n" ];
  wrong "waits by what others do"
    [ declare "  exempt waiting when (count(self) > 1) because \"why not\";\n" ]

let () =
  syntax ();
  names_and_types ();
  states_and_moves ();
  phases ()
