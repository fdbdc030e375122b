(* Bounded waiting, for each policy in turn: proved with a bound, violated by a
   run that can be replayed, or unknown. *)

open Dromos_policy_explore
open Dromos_policy_prove
open Dromos_policy_verdict

(* {1 Policies} *)

(* A policy with two queues. [enter] puts the thread [t] into a queue of the
   core [c]. *)
let policy ?(top = "") ?(of_threads = "") ?(of_cores = "") ?(order = "")
    ?(tick = "") ?(balancing = "") ?(enter = "t => c.low;") ?(fresh = enter)
    ?(yield = enter) ?(high = "shared READY set<thread> high;") schedule =
  Printf.sprintf
    {|scheduler waiting = {
  %s
  thread = { int load = 1; %s }
  core = {
    threads = {
      RUNNING thread current;
      %s
      shared READY set<thread> low %s;
      BLOCKED blocked;
      TERMINATED terminated;
    }
    system shared int cload;
    %s
  }
  steal = {
    can_steal_core(core src, core dst) {
      src.cload - dst.cload >= 2
    } => stealable_cores
    do {
      select_core() { first(stealable_cores order = { highest cload }) } => src
      steal_thread(core dst, thread t) {
        if (src.cload - dst.cload >= 2) { core c = dst; %s }
      } until (count(dst) != 0)
    } until (count(dst) != 0)
  }
  handler (thread_event e) {
    On new {
      thread t = e.target;
      core c = first(system_cores() order = { lowest cload });
      %s
    }
    On unblock {
      thread t = e.target;
      core c = first(system_cores() order = { lowest cload });
      %s
    }
    On tick { thread t = e.target; core c = self; %s }
    On yield { thread t = e.target; core c = self; %s }
    On block { e.target => blocked; }
    On terminate { e.target => terminated; }
    On schedule { %s }
  }
  handler (core_event e) {
    On synchronized balancing {
      %s
      foreach (c in system_cores()) steal_for(c);
    }
  }
}|}
    top of_threads high order of_cores enter fresh enter tick yield schedule
    balancing

(* The usual case: threads that the system marks [urgent] have their own
   queue. *)
let two_classes ?top ?of_cores ?balancing schedule =
  let enter = "if (t.urgent) t => c.high; else t => c.low;" in
  policy ?top ?of_cores ?balancing ~of_threads:"system bool urgent;" ~enter
    ~tick:enter schedule

let high_first =
  "thread t = first(high); if (!valid(t)) t = first(low); t => current;"

(* If the condition holds the queues are served in reverse order. *)
let unless condition ~then_ ~else_ =
  Printf.sprintf
    "thread t = none; if (%s) { t = first(low); %s if (!valid(t)) t = \
     first(high); } else { t = first(high); %s if (!valid(t)) t = first(low); \
     } t => current;"
    condition then_ else_

let exempt condition =
  Printf.sprintf {|exempt waiting when (%s) because "it may";|} condition

let last =
  "thread last = none; foreach (t in high) { last = t; } foreach (t in low) { \
   last = t; } last => current;"

let aging_tick =
  "foreach (w in low) { if (w.age < 8) w.age++; } if (t.urgent) t => high; \
   else t => low;"

let oldest =
  "thread t = first(low order = { highest age }); thread u = first(high); if \
   (valid(u) && (!valid(t) || t.age < 8)) t = u; t.age = 0; t => current;"

(* {1 Answers} *)

type expected =
  | Proved of int * int option  (** turns, ticks *)
  | Violated
  | Unknown
  | Nothing

let show = function
  | Proved (turns, ticks) ->
      Printf.sprintf "PROVED %d %s" turns
        (Option.fold ~none:"-" ~some:string_of_int ticks)
  | Violated -> "VIOLATED"
  | Unknown -> "UNKNOWN"
  | Nothing -> "nothing to prove"

let replayed trace =
  match Trace.replay trace with
  | Ok () -> ()
  | Error why -> Alcotest.failf "not replayed: %s" why

(* Asks prover and search, as Verdict does, about this property alone. *)
let said text =
  let policy = Random_policy.policy text in
  let proof =
    List.find
      (fun (r : Prove.result) -> r.property = Waiting)
      (Prove.policy policy).results
  and found = Explore.check ~seconds:3. ~states:30_000 policy Waiting in
  match (proof.verdict, found.verdict) with
  | Proved _, Violated trace ->
      Alcotest.failf "proved, and violated:@.%a" Trace.pp trace
  | Proved { bound = Some { turns; ticks; _ }; _ }, _ -> Proved (turns, ticks)
  | Proved { bound = None; _ }, _ -> Alcotest.fail "proved without a bound"
  | _, Violated trace ->
      replayed trace;
      Violated
  | (Refuted_obligation _ | Unknown _), _ -> Unknown
  | Nothing_to_prove _, _ -> Nothing

let fifo = "t => c.low;"

let low_first =
  "thread t = first(low); if (!valid(t)) t = first(high); t => current;"

(* Deadlines and the like: the policy sets them from a count shared by all
   threads. *)
let stamped = "t.stamp = clock; clock++; t => c.low;"
let slot = "READY thread high : displaced = low;"

let put =
  "void put(thread x, core c) { x => c.low; } thread front() { return \
   first(low); }"

let boost = "foreach (x in low) x => high;"

let cases =
  [
    ( "first in, first out; tick preempts",
      policy ~enter:fifo ~tick:fifo low_first,
      Proved (1, Some 1) );
    ( "first in, first out; tick does nothing",
      policy ~enter:fifo low_first,
      Proved (1, None) );
    ( "a slice counted down",
      policy ~enter:fifo ~of_threads:"int left = 5;"
        ~tick:"t.left--; if (t.left <= 0) t => low;"
        "thread t = first(low); if (!valid(t)) t = first(high); t.left = 5; t \
         => current;",
      Proved (1, Some 5) );
    ( "a slice that is never given back is over at once",
      policy ~enter:fifo ~of_threads:"int used;"
        ~tick:"t.used++; if (t.used > 2) t => low;" low_first,
      Proved (1, Some 3) );
    ( "a slice that ticks make longer",
      policy ~enter:fifo ~of_threads:"int left = 5;"
        ~tick:"t.left++; if (t.left <= 0) t => low;" low_first,
      Proved (1, None) );
    ("strict priority", two_classes high_first, Violated);
    ( "strict priority, and the others exempt",
      two_classes ~top:(exempt "!target.urgent") high_first,
      Proved (1, Some 1) );
    ( "strict priority, and the wrong ones exempt",
      two_classes ~top:(exempt "target.urgent") high_first,
      Violated );
    ( "all exempt, though one queue is served",
      two_classes ~top:(exempt "true") high_first,
      Proved (1, Some 1) );
    ( "all exempt, and no queue is served",
      two_classes ~top:(exempt "true") last,
      Nothing );
    ( "at most four of the one, then one of the other",
      two_classes ~of_cores:"int streak;"
        (unless "self.streak >= 4" ~then_:"self.streak = 0;"
           ~else_:"self.streak++;"),
      Proved (5, Some 1) );
    ( "the same, but counted only where a thread waits",
      two_classes ~of_cores:"int streak;"
        "thread t = first(high); thread u = first(low); if (valid(u) && \
         (!valid(t) || self.streak >= 4)) { t = u; self.streak = 0; } else { \
         if (self.streak < 4) self.streak++; } t => current;",
      Proved (5, Some 1) );
    ( "taking turns",
      two_classes ~of_cores:"bool turn;"
        "thread t = first(high); thread u = first(low); if (valid(u) && \
         (!valid(t) || self.turn)) { t = u; self.turn = false; } else \
         self.turn = true; t => current;",
      Proved (2, Some 1) );
    ( "a count that nothing raises",
      two_classes ~of_cores:"int streak;"
        (unless "self.streak >= 4" ~then_:"" ~else_:""),
      Violated );
    ("the last of the queue", policy ~enter:fifo ~tick:fifo last, Violated);
    ( "new threads have a queue that is served first",
      policy ~fresh:"t => c.high;" high_first,
      Violated );
    ( "keys that come lower than those that are there",
      policy ~enter:fifo ~of_threads:"int time;"
        ~order:": order = { lowest time }" ~tick:"t.time++; t => low;" low_first,
      Violated );
    ( "stamps on arrival, from one count",
      policy ~top:"shared int clock;" ~of_threads:"int stamp;"
        ~order:": order = { lowest stamp }" ~enter:stamped ~tick:stamped
        low_first,
      Unknown );
    ( "the last to come first",
      policy ~top:"shared int clock;" ~of_threads:"int stamp;"
        ~order:": order = { highest stamp }" ~enter:stamped ~tick:"t => low;"
        low_first,
      Violated );
    ( "threads that wait grow older",
      policy ~of_threads:"system bool urgent; int age;"
        ~enter:"if (t.urgent) t => c.high; else t => c.low;" ~tick:aging_tick
        oldest,
      Unknown );
    ( "the time decides, which never comes back",
      two_classes ~top:"system int now(); " ~of_cores:"int served;"
        (unless "now() - self.served > 100" ~then_:"self.served = now();"
           ~else_:""),
      Unknown );
    ( "balancing sees to the others, and may come before each schedule",
      two_classes ~top:"shared bool boost;" ~balancing:"boost = true;"
        (unless "boost" ~then_:"boost = false;" ~else_:""),
      Violated );
    ( "balancing sees to the others of one core, and these alone count",
      two_classes
        ~top:("shared bool boost; " ^ exempt "target.urgent")
        ~balancing:"boost = true;"
        (unless "boost" ~then_:"boost = false;" ~else_:""),
      Violated );
    ( "a slot that is served first",
      policy ~high:slot ~enter:"t => c.high;" ~fresh:fifo ~yield:fifo high_first,
      Violated );
    ( "a slot that all come to, so that others come only displaced",
      policy ~high:slot ~enter:"t => c.high;" high_first,
      Violated );
    ( "a slot that is served first three times in a row",
      policy ~high:slot ~of_cores:"int streak;" ~enter:"t => c.high;"
        ~fresh:fifo ~yield:fifo ~tick:fifo
        (unless "self.streak >= 3" ~then_:"self.streak = 0;"
           ~else_:"self.streak++;"),
      Proved (4, Some 1) );
    ( "threads are exempt that come displaced, and were not exempt",
      policy ~high:slot ~top:(exempt "!target.urgent")
        ~of_threads:"system bool urgent;"
        ~enter:"if (t.urgent) t => c.high; else t => c.low;" high_first,
      Violated );
    ( "all that come displaced are exempt",
      policy ~high:slot ~top:(exempt "true") ~enter:"t => c.high;" high_first,
      Unknown );
    ( "from the queue to the slot, and displaced from it again",
      policy ~high:slot ~tick:"thread x = first(low); x => high;" ~enter:fifo
        high_first,
      Violated );
    ( "to the slot and displaced again, served in turn",
      policy ~high:slot ~of_cores:"bool turn;" ~enter:fifo
        ~tick:"thread x = first(low); x => high;"
        "thread t = first(high); thread u = first(low); if (valid(u) && \
         (!valid(t) || self.turn)) { t = u; self.turn = false; } else \
         self.turn = true; t => current;",
      Violated );
    ( "every tick moves all that wait to the queue that is served first",
      policy ~fresh:"t => c.high;" ~tick:boost high_first,
      Unknown );
    ( "the same, and each tick takes the core",
      policy ~enter:fifo ~fresh:"t => c.high;" ~tick:(boost ^ fifo) high_first,
      Unknown );
    ( "one way between two queues that are served in turn",
      policy ~of_cores:"int streak;" ~tick:(boost ^ fifo)
        (unless "self.streak >= 4" ~then_:"self.streak = 0;"
           ~else_:"self.streak++;"),
      Proved (5, Some 1) );
    ( "one by one between two queues that are served in turn",
      policy ~of_cores:"int streak;"
        ~yield:"thread x = first(low); x => high; t => low;"
        (unless "self.streak >= 4" ~then_:"self.streak = 0;"
           ~else_:"self.streak++;"),
      Proved (5, None) );
    ( "to and fro between two queues that are served in turn",
      policy ~of_cores:"bool turn;"
        ~yield:"foreach (x in low) x => high; t => low;"
        ~tick:"foreach (x in high) x => low;"
        "thread t = first(high); thread u = first(low); if (valid(u) && \
         (!valid(t) || self.turn)) { t = u; self.turn = false; } else \
         self.turn = true; t => current;",
      Violated );
    ( "the front goes to the back at each yield",
      policy ~yield:"thread x = first(low); x => low; t => low;" low_first,
      Violated );
    ( "a function puts threads where they wait",
      policy ~top:put ~enter:"put(t, c);" ~tick:"put(t, c);" low_first,
      Proved (1, Some 1) );
    ( "the same function puts the front to the back",
      policy ~top:put ~enter:"put(t, c);" ~yield:"put(front(), c); put(t, c);"
        low_first,
      Violated );
    ( "another thread moves at each tick, the one that runs never",
      policy ~tick:"thread x = first(low); x => high;" ~of_cores:"bool turn;"
        "thread t = first(high); thread u = first(low); if (valid(u) && \
         (!valid(t) || self.turn)) { t = u; self.turn = false; } else \
         self.turn = true; t => current;",
      Proved (2, None) );
    ( "schedule moves the front away before it looks",
      policy
        "thread x = first(low); x => high; thread t = first(low); if \
         (!valid(t)) t = first(high); t => current;",
      Unknown );
    ( "a draw decides",
      two_classes ~top:"system int random();"
        (unless "random() < 536870912" ~then_:"" ~else_:""),
      Violated );
  ]

(* {1 Texts} *)

let strict = two_classes high_first

let violation () =
  match (Explore.check (Random_policy.policy strict) Waiting).verdict with
  | Violated trace -> trace
  | Holds | Limit -> Alcotest.fail "not found"

(* A trace that claims more than its run shows is not replayed. *)
let tampered () =
  let trace = violation () in
  replayed trace;
  let refused what fault =
    match Trace.replay { trace with fault } with
    | Error _ -> ()
    | Ok () -> Alcotest.failf "replayed: %s" what
  in
  match trace.fault with
  | Starves { thread; since; from } ->
      refused "the one that runs" (Starves { thread = 1; since; from });
      refused "earlier" (Starves { thread; since = since - 1; from });
      refused "a cycle that is none"
        (Starves { thread; since; from = List.length trace.steps - 1 });
      refused "no cycle" (Starves { thread; since; from = from + 1 })
  | Breach _ | Conservation _ | Stuck -> Alcotest.fail "a fault of another kind"

let verdict text =
  Verdict.check ~seconds:0.5 ~second:0.2 (Random_policy.policy text)

let json () =
  let open Yojson.Safe.Util in
  let result text =
    Verdict.to_json ~file:"" (verdict text)
    |> member "results" |> to_list
    |> List.find (fun r -> member "property" r = `String "bounded waiting")
  in
  let violated = result strict in
  Alcotest.(check string)
    "verdict" "VIOLATED"
    (violated |> member "verdict" |> to_string);
  Alcotest.(check int)
    "who" 0
    (violated |> member "trace" |> member "starves" |> member "thread" |> to_int);
  let bound =
    result (policy ~enter:fifo ~tick:fifo low_first) |> member "bound"
  in
  Alcotest.(check (pair int int))
    "bound" (1, 1)
    ( bound |> member "schedulings_per_thread" |> to_int,
      bound |> member "ticks_per_scheduling" |> to_int );
  let queues text =
    result text |> member "bound" |> member "queues_in_one_wait" |> to_int
  in
  Alcotest.(check (list int))
    "queues" [ 1; 2 ]
    [
      queues (policy ~enter:fifo ~tick:fifo low_first);
      queues
        (policy ~of_cores:"bool turn;" ~tick:boost
           "thread t = first(high); thread u = first(low); if (valid(u) && \
            (!valid(t) || self.turn)) { t = u; self.turn = false; } else \
            self.turn = true; t => current;");
    ]

(* Without a `tick` that preempts, the verdict assumes that threads stop. *)
let assumed () =
  let says text =
    List.exists
      (String.starts_with ~prefix:"for bounded waiting")
      (Verdict.assumptions (verdict text))
  in
  Alcotest.(check bool) "cooperative" true (says (policy ~enter:fifo low_first));
  Alcotest.(check bool)
    "preemptive" false
    (says (policy ~enter:fifo ~tick:fifo low_first))

let check (name, text, expected) =
  Alcotest.test_case name `Quick (fun () ->
      Alcotest.(check string) name (show expected) (show (said text)))

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "waiting"
    [
      ("waiting", List.map check cases);
      ( "said",
        [ case "tampered" tampered; case "JSON" json; case "assumed" assumed ]
      );
    ]
