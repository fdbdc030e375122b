(* Facts about queues that no thread enters, and about looks at idle_cores. Each
   small policy has variants for which the property must not be proved. *)

open Dromos_policy_prove

type policy = {
  queues : string;
  place : string;
  enters : string;
  admits : string;
  takes : string;
  over : string;
  balance : string;
  schedule : string;
}

let least = "return first(system_cores() order = { lowest cload });"

let usual =
  {
    queues = "READY set<thread> ready;";
    place = least;
    enters = "ready";
    admits = "count(src) >= 2";
    takes = "count(src) >= 2";
    over = "count(dst) != 0";
    balance = "foreach (c in system_cores()) steal_for(c);";
    schedule = "first(ready) => current;";
  }

let text p =
  Printf.sprintf
    {|scheduler known = {
  thread = { core last; }
  domain = { system set<group> groups; system set<core> cores; }
  group = { system set<core> cores; }
  core = {
    threads = {
      RUNNING thread current;
      %s
      BLOCKED blocked;
      TERMINATED terminated;
    }
    system shared int cload;
    system int rank;
    system bool whole;
  }
  steal = {
    can_steal_core(core src, core dst) { %s } => loaded
    do {
      select_core() { first(loaded order = { highest cload }) } => src
      steal_thread(core dst, thread t) { if (%s) t => dst.ready; }
        until (count(dst) != 0)
    } until (%s)
  }
  core place(thread t) { %s }
  handler (thread_event e) {
    On new { core c = place(e.target); e.target => c.%s; }
    On unblock { core c = place(e.target); e.target => c.ready; }
    On block { e.target => blocked; }
    On terminate { e.target => terminated; }
    On schedule { %s }
  }
  handler (core_event e) { On synchronized balancing { %s } }
}|}
    p.queues p.admits p.takes p.over p.place p.enters p.schedule p.balance

let verdict property text =
  let failed faults =
    Alcotest.failf "%s: %s" text
      (String.concat "\n"
         (List.map (fun f -> Dromos_policy_syntax.Fault.to_string f) faults))
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error fault -> failed [ fault ]
  | Ok ast -> (
      match Dromos_policy_elaborate.Elaborate.policy ast with
      | Error faults -> failed faults
      | Ok { policy; _ } ->
          (List.find
             (fun (r : Prove.result) -> r.property = property)
             (Prove.policy policy).results)
            .verdict)

let proved_text properties text =
  List.iter
    (fun property ->
      match verdict property text with
      | Proved _ -> ()
      | other ->
          Alcotest.failf "%s: %s"
            (Prove.property_name property)
            (Prove.say other))
    properties

let refuted_text property obligation text =
  match verdict property text with
  | Refuted_obligation w -> Alcotest.(check string) "by" obligation w.refuted
  | other -> Alcotest.fail (Prove.say other)

let proved properties p () = proved_text properties (text p)
let refuted property obligation p () = refuted_text property obligation (text p)
let case name f = Alcotest.test_case name `Quick f

(* {1 Queues} *)

let two =
  { usual with queues = "READY set<thread> ready; READY set<thread> spare;" }

let all = [ Prove.Gcwc; Conservation; Waiting ]

let spare_is_empty =
  List.map
    (fun (name, p) -> case name (proved all p))
    [
      ("is not looked at", two);
      ( "is looked at first",
        {
          two with
          schedule =
            "thread t = first(spare); if (!valid(t)) t = first(ready); t => \
             current;";
        } );
      ( "must be empty",
        {
          two with
          schedule = "if (!empty(spare)) return; first(ready) => current;";
        } );
      ( "must have no threads",
        {
          two with
          schedule =
            "if (count(self.spare) > 0) return; first(ready) => current;";
        } );
      ( "is gone through",
        {
          two with
          schedule =
            "foreach (x in spare) { x => current; return; } first(ready) => \
             current;";
        } );
      ( "the other one has the candidate",
        { two with takes = "count(src) >= 2 && count(src.ready) >= 1" } );
      ( "has none of the source's",
        { two with admits = "count(src) >= 2 && count(src.spare) == 0" } );
    ]
  @ [
      case "empty says what the word says"
        (proved all
           {
             usual with
             schedule = "if (empty(ready)) return; first(ready) => current;";
           });
    ]

let filled = { two with enters = "spare"; schedule = "" }

let spare_is_filled =
  [
    case "is passed over"
      (refuted Conservation "schedule_runs"
         {
           filled with
           schedule =
             "if (!empty(spare)) return; thread t = first(ready); if \
              (!valid(t)) t = first(spare); t => current;";
         });
    case "may have the candidate"
      (refuted Gcwc "steal_progress"
         {
           filled with
           takes = "count(src) >= 2 && count(src.ready) >= 1";
           schedule =
             "thread t = first(ready); if (!valid(t)) t = first(spare); t => \
              current;";
         });
  ]

(* {1 Members} *)

let placements = [ Prove.Lcwc New; Lcwc Unblock ]
let placed name place = case name (proved placements { usual with place })

let not_placed name place obligation =
  case name (refuted (Lcwc New) obligation { usual with place })

let any = "core c = first(idle_cores); if (valid(c)) return c; "

let idle_is_found =
  [
    placed "the first, else the least loaded" (any ^ least);
    placed "the first, else this one" (any ^ "return self;");
    placed "asked whether there is one"
      ("if (empty(idle_cores)) { " ^ least ^ " } " ^ any ^ "return self;");
    placed "gone through" ("foreach (c in idle_cores) return c; " ^ least);
    placed "each asked"
      "foreach (c in system_cores()) { if (c in idle_cores) return c; } return \
       self;";
    placed "each that is not active"
      "foreach (c in system_cores()) { if (!(c in active_cores)) return c; } \
       return self;";
    placed "the last one, if it is idle"
      ("core l = t.last; if (valid(l) && l in idle_cores) return l; " ^ any
     ^ least);
    placed "a core of the smallest domain, then any, then the least loaded"
      ("core l = t.last; if (!valid(l)) l = self; domain d = first(l.domains); \
        foreach (x in d.cores) { if (x in idle_cores) return x; } " ^ any
     ^ least);
    placed "a core of each domain in turn"
      "foreach (d in self.domains) { foreach (x in d.cores) { if (x in \
       idle_cores) return x; } } return self;";
    placed "whole cores first"
      ("foreach (x in idle_cores) { if (x.whole) return x; } " ^ any ^ least);
    case "a core with a thread on its way is not idle"
      (proved placements
         {
           usual with
           place = any ^ least;
           schedule = "if (count(self) >= 2) first(ready) => current;";
         });
    placed "by a number of the system"
      ("core c = first(idle_cores order = { highest rank }); if (valid(c)) \
        return c; " ^ least);
  ]

let idle_is_missed =
  [
    not_placed "one core is asked"
      "core a = first(system_cores()); if (a in idle_cores) return a; return \
       self;"
      "new_line_26";
    not_placed "whole cores only"
      "foreach (x in idle_cores) { if (x.whole) return x; } return self;"
      "new_line_26";
    not_placed "an active one"
      ("core c = first(active_cores); if (valid(c)) return c; " ^ least)
      "new_line_26";
  ]

let balanced name p = case name (proved [ Gcwc ] p)

let idle_is_served =
  [
    balanced "for each idle core"
      { usual with balance = "foreach (c in idle_cores) steal_for(c);" };
    balanced "for those that are idle"
      {
        usual with
        balance =
          "if (empty(idle_cores)) return; foreach (c in system_cores()) { if \
           (c in idle_cores) steal_for(c); }";
      };
    balanced "the destination is idle"
      { usual with admits = "count(src) >= 2 && dst in idle_cores" };
    balanced "takes for an idle one"
      { usual with takes = "count(src) >= 2 && !(dst in active_cores)" };
    balanced "the source is active"
      { usual with admits = "count(src) >= 2 && src in active_cores" };
    balanced "until it is not idle" { usual with over = "!(dst in idle_cores)" };
  ]

let idle_is_not_served =
  let unserved name obligation p = case name (refuted Gcwc obligation p) in
  [
    unserved "for the first idle core" "balance_complete"
      {
        usual with
        balance = "core c = first(idle_cores); if (valid(c)) steal_for(c);";
      };
    unserved "for active cores" "balance_complete"
      { usual with balance = "foreach (c in active_cores) steal_for(c);" };
    unserved "the source is idle" "filter_complete"
      { usual with admits = "count(src) >= 2 && src in idle_cores" };
  ]

(* {1 Sums} *)

let by_groups admits =
  Printf.sprintf
    {|scheduler sums = {
  thread = { int load = 1; system int nice; }
  domain = { system set<group> groups; system set<core> cores; }
  group = { system set<core> cores; }
  core = {
    threads = {
      RUNNING thread current;
      READY set<thread> ready;
      BLOCKED blocked;
      TERMINATED terminated;
    }
    system shared int cload;
    system int rank;
  }
  int load(group g) { int l = 0; foreach (c in g.cores) l += c.cload; return l; }
  int crowded(group g) {
    int n = 0; foreach (c in g.cores) { if (count(c) >= 2) n++; } return n;
  }
  int idle(group g) {
    int n = 0; foreach (c in g.cores) { if (count(c) == 0) n++; } return n;
  }
  int off(group g) {
    int n = 0; foreach (c in g.cores) n += count(c) - 3; return n;
  }
  int ranks(group g) {
    int n = 0; foreach (c in g.cores) n += c.rank; return n;
  }
  int twice(group g) {
    int n = 0; int m = 0;
    foreach (c in g.cores) { n += count(c); if (count(c) >= 2) m += 2; else m++; }
    return n + m;
  }
  int late(group g) {
    int n = 0; int m = 0;
    foreach (c in g.cores) { n += 1; if (n >= 1) m += 1; }
    return m;
  }
  steal(group g, core dst) = {
    can_steal_group(group busy, group g) { %s } => found
    do {
      select_group() { first(found) } => busy
      can_steal_core(core src, core dst) { count(src) >= 2 } => loaded
      do {
        select_core() { first(loaded) } => src
        steal_thread(core dst, thread t) { if (count(src) >= 2) t => dst.ready; }
          until (count(dst) != 0)
      } until (count(dst) != 0)
    } until (count(dst) != 0)
  }
  handler (thread_event e) {
    On new { core c = first(system_cores() order = { lowest cload }); e.target => c.ready; }
    On unblock { core c = first(system_cores() order = { lowest cload }); e.target => c.ready; }
    On block { e.target => blocked; }
    On terminate { e.target => terminated; }
    On schedule { first(ready) => current; }
  }
  handler (core_event e) {
    On synchronized balancing {
      foreach (c in system_cores()) { foreach (d in c.domains) { foreach (g in d.groups) {
        if (c in g.cores) steal_for(g, c);
      } } }
    }
  }
}|}
    admits

let sums =
  let holds admits =
    case admits (fun () -> proved_text [ Prove.Hcwc ] (by_groups admits))
  in
  List.map holds
    [
      "load(busy) >= 2";
      "load(g) >= 0";
      "crowded(busy) > 0";
      "idle(g) != 0";
      "twice(busy) >= 4";
    ]

let not_sums =
  let fails admits =
    case admits (fun () ->
        refuted_text Hcwc "group_filter_complete" (by_groups admits))
  in
  List.map fails
    [
      "load(busy) >= 3";
      "load(busy) > load(g)";
      "load(busy) * 100 > load(g) * 110";
      "crowded(busy) >= 2";
      "idle(g) > 1";
      "off(busy) >= 0";
      "ranks(g) >= 0";
      "late(g) == 0";
    ]

(* {1 What the system says} *)

let told place () =
  let text =
    Str.replace_first
      (Str.regexp_string "thread = { core last; }")
      "thread = { core last; system int sleep_time; system int nice = 3; }\n\
      \  system int now(); system int random();"
      (text { usual with place })
  in
  verdict (Lcwc Unblock) text

let never condition () =
  match told (Printf.sprintf "if (%s) return self; %s" condition least) () with
  | Proved _ -> ()
  | other -> Alcotest.fail (Prove.say other)

let sometimes condition () =
  match told (Printf.sprintf "if (%s) return self; %s" condition least) () with
  | Refuted_obligation _ -> ()
  | other -> Alcotest.fail (Prove.say other)

let what_is_told =
  [
    case "no sleep is negative" (never "t.sleep_time < 0");
    case "time begins at 0" (never "now() < 0");
    case "a draw is not negative" (never "random() < 0");
    case "a draw has 30 bits" (never "random() > 1073741823");
    case "a sleep may be long" (sometimes "t.sleep_time > 1000000");
    case "a draw may be the largest" (sometimes "random() == 1073741823");
    case "a first value is no promise" (sometimes "t.nice < 0");
  ]

(* {1 Moves among READY states} *)

let moving schedule =
  {
    usual with
    queues = "READY set<thread> ready; READY set<thread> spare;";
    enters = "spare";
    schedule;
  }

let moves_are_kept =
  List.map
    (fun s -> case s (proved [ Prove.Conservation ] (moving s)))
    [
      "foreach (x in spare) x => ready; first(ready) => current;";
      "thread x = first(spare); x => ready; first(ready) => current;";
      "thread x = first(spare); x => ready; thread t = first(ready); if \
       (!valid(t)) t = first(spare); t => current;";
    ]

(* Variants in which the thread may be in a queue from which no thread is
   chosen. *)
let moves_are_missed =
  let then_ =
    Printf.sprintf
      " thread t = first(%s); if (!valid(t) && self.rank > 5) t = first(%s); t \
       => current;"
  in
  let ready = then_ "ready" "spare" and spare = then_ "spare" "ready" in
  List.map
    (fun s -> case s (refuted Conservation "schedule_runs" (moving s)))
    [
      "foreach (x in ready) x => spare;" ^ ready;
      "thread x = first(ready); x => spare;" ^ ready;
      "foreach (x in spare) { if (x.last == self) x => ready; }" ^ ready;
      "foreach (x in spare) { x => ready; break; }" ^ spare;
      "foreach (x in spare) x => spare;" ^ ready;
      "foreach (x in spare) { x => ready; x => spare; }" ^ ready;
    ]

let none_reads schedule = moving ("core n = none; " ^ schedule)

let chooses =
  "thread t = first(ready); if (!valid(t)) t = first(spare); if (%) t = none; \
   t => current;"

let choosing condition =
  String.concat condition (String.split_on_char '%' chooses)

let of_none =
  [
    case "no number"
      (proved [ Conservation ] (none_reads (choosing "n.rank != 0")));
    case "no bool" (proved [ Conservation ] (none_reads (choosing "n.whole")));
    case "not of another"
      (refuted Conservation "schedule_runs"
         (moving ("core n = first(system_cores()); " ^ choosing "n.rank != 0")));
    case "another value"
      (refuted Conservation "schedule_runs"
         (none_reads (choosing "n.rank != 1")));
  ]

let () =
  Alcotest.run "known"
    [
      ("system attributes", what_is_told);
      ("a queue that no thread enters", spare_is_empty);
      ("a queue that threads enter", spare_is_filled);
      ("placed on idle cores", idle_is_found);
      ("idle cores missed", idle_is_missed);
      ("stolen for idle cores", idle_is_served);
      ("idle cores not served", idle_is_not_served);
      ("sums over a group", sums);
      ("no such sums", not_sums);
      ("moved where it is looked for", moves_are_kept);
      ("moved to an unread queue", moves_are_missed);
      ("attributes of none", of_none);
    ]
