(* Loads and thresholds: GCWC if all threads have the same weight, or weights
   between two limits. *)

open Dromos_policy_core
open Dromos_policy_prove

let text ~load ~coming ~worth =
  Printf.sprintf
    {|scheduler weights = {
  const int NICE = 512 * 2;
  int max(int a, int b) { return a > b ? a : b; }
  int clamp(int x) { if (x < 1) return 1; return x; }
  %s
  shared int rounds;
  thread = { %s system bool heavy; system int nice; int born = 1; }
  core = {
    threads = {
      RUNNING thread current;
      READY set<thread> ready;
      BLOCKED blocked;
      TERMINATED terminated;
    }
    system shared int cload;
  }
  steal = {
    can_steal_core(core src, core dst) { %s } => loaded
    do {
      select_core() { first(loaded order = { highest cload }) } => src
      steal_thread(core dst, thread t) { if (%s) t => dst.ready; }
        until (count(dst) != 0)
    } until (count(dst) != 0)
  }
  handler (thread_event e) {
    On new { core c = first(system_cores() order = { lowest cload }); %s e.target => c.ready; }
    On unblock { core c = first(system_cores() order = { lowest cload }); e.target => c.ready; }
    On block { e.target => blocked; }
    On terminate { e.target => terminated; }
    On schedule { rounds++; first(ready) => current; }
  }
  handler (core_event e) {
    On synchronized balancing { foreach (c in system_cores()) steal_for(c); }
  }
}|}
    (if Str.string_match (Str.regexp ".*reset") coming 0 then
       "bool reset(thread t) { t.load = 0; return true; }"
     else "")
    load worth worth coming

let elaborated text =
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
      | Ok { policy; _ } -> policy)

let verdict ~load ~coming ~worth =
  (List.find
     (fun (r : Prove.result) -> r.property = Gcwc)
     (Prove.policy (elaborated (text ~load ~coming ~worth))).results)
    .verdict

let proved ~load ?(coming = "") worth () =
  match verdict ~load ~coming ~worth with
  | Proved _ -> ()
  | other -> Alcotest.fail (Prove.say other)

let refuted ~load ?(coming = "") worth obligation () =
  match verdict ~load ~coming ~worth with
  | Refuted_obligation w -> Alcotest.(check string) "by" obligation w.refuted
  | other -> Alcotest.fail (Prove.say other)

(* {1 Division by anything} *)

let small = List.init 13 (fun i -> i - 6)
let each_pair f = List.iter (fun a -> List.iter (f a) small) small

(* The results for divisor 0 are in RFC 9669, section 4.1. *)
let values () =
  List.iter
    (fun (a, b, q, r) ->
      let name = Printf.sprintf "%d, %d" a b in
      Alcotest.(check int) name q (Whole.quotient a b);
      Alcotest.(check int) name r (Whole.remainder a b))
    [
      (7, 0, 0, 7); (-7, 0, 0, -7); (7, 2, 3, 1); (-7, 2, -3, -1); (7, -2, -3, 1);
    ]

(* The facts assumed by the prover about quotients and remainders are true. *)
let facts_hold () =
  let all what a b fact =
    if not (List.for_all (Term.equal Term.true_) fact) then
      Alcotest.failf "%s of %d and %d" what a b
  in
  each_pair (fun a b ->
      let n = Term.int in
      all "quotient" a b
        (Term.quotient_facts (n a) (n b) (n (Whole.quotient a b)));
      all "remainder" a b
        (Term.remainder_facts (n a) (n b) (n (Whole.remainder a b))))

let intervals =
  List.concat_map
    (fun least ->
      List.filter_map
        (fun most -> if least <= most then Some (least, most) else None)
        [ -7; -3; -1; 0; 1; 2; 6 ])
    [ -7; -3; -1; 0; 1; 2; 6 ]

(* Attributes [a] and [b] have the given intervals. [q] and [r] begin with the
   results at one end, and are set to the results of [a] and [b]. *)
let bounds_of (al, am) (bl, bm) =
  let load =
    Printf.sprintf "int load = 1; int a = %d, b = %d, q = %d, r = %d;" al bl
      (Whole.quotient al bl) (Whole.remainder al bl)
  and coming =
    Printf.sprintf
      "thread t = e.target; t.q = t.a / t.b; t.r = t.a %% t.b; t.a = %d; t.b = \
       %d;"
      am bm
  in
  let policy = elaborated (text ~load ~coming ~worth:"true") in
  let of_ name =
    Loads.bounds policy
      (Option.get
         (Array.find_opt
            (fun (a : Core.attribute) -> a.name = name)
            policy.attributes))
  in
  (of_ "q", of_ "r")

(* No interval leaves a value out. *)
let intervals_hold () =
  let check (al, am) (bl, bm) =
    let q, r = bounds_of (al, am) (bl, bm) in
    let holds what ({ least; most } : Loads.bounds) v =
      let within = function
        | Some least, Some most -> least <= v && v <= most
        | _ -> false
      in
      if not (within (least, most)) then
        Alcotest.failf "%s of %d..%d and %d..%d: not %d" what al am bl bm v
    in
    for a = al to am do
      for b = bl to bm do
        holds "quotient" q (Whole.quotient a b);
        holds "remainder" r (Whole.remainder a b)
      done
    done
  in
  List.iter (fun a -> List.iter (check a) intervals) intervals

let differ = Printf.sprintf "src.cload - dst.cload >= %s"
let by n = differ (string_of_int n)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  let each n = Printf.sprintf "int load = %d;" n in
  let two a b =
    (each a, Printf.sprintf "e.target.load = e.target.heavy ? %d : %d;" b a)
  in
  let set = "e.target.load = " and count = "e.target.born" in
  let by_count = "count(src) >= 2 && src.cload > dst.cload" in
  (* Loads are at least 1, or may be less. *)
  let positive name coming = case name (proved ~load:(each 1) ~coming by_count)
  and perhaps_not name coming =
    case name (refuted ~load:(each 1) ~coming by_count "filter_complete")
  in
  let of_two a b worth =
    let load, coming = two a b in
    proved ~load ~coming worth
  and not_of_two a b worth obligation =
    let load, coming = two a b in
    refuted ~load ~coming worth obligation
  in
  Alcotest.run "weights"
    [
      ( "proved",
        [
          case "1 each, a difference of 2" (proved ~load:(each 1) (by 2));
          case "1024 each, a difference of 2048"
            (proved ~load:(each 1024) (by 2048));
          case "1024 each, a difference of 1025"
            (proved ~load:(each 1024) (by 1025));
          case "1024 each, more than one more"
            (proved ~load:(each 1024) "src.cload > dst.cload + 1024");
          case "by a constant"
            (proved ~load:"int load = NICE;" (differ "2 * NICE"));
          case "units of a load"
            (proved ~load:(each 1024) "src.cload / 1024 - dst.cload / 1024 >= 2");
          case "a load that is no multiple"
            (proved ~load:(each 7) "src.cload % 7 == 0 && count(src) >= 2");
          case "3 or 5, a difference of 6" (of_two 3 5 (by 6));
          case "1024 or 1500, more than 1500" (of_two 1024 1500 (by 1501));
          case "10 to 18, by an expression"
            (proved ~load:(each 10)
               ~coming:"e.target.load = 14 + e.target.nice % 5;" (by 20));
          case "96 to 104, by a quotient of anything"
            (proved ~load:(each 100)
               ~coming:
                 "e.target.load = 100 + e.target.nice % 5 / e.target.nice;"
               (by 105));
          case "100 to 106, by a remainder of anything"
            (proved ~load:(each 100)
               ~coming:"e.target.load = 100 + 6 % e.target.nice;" (by 107));
          case "divided by what may be 0"
            (proved ~load:(each 1) "count(src) / (count(dst) + 1) >= 2");
          case "the rest by what is larger"
            (proved ~load:(each 1)
               "count(src) >= 2 && count(dst) % (count(dst) + 1) == count(dst)");
        ] );
      ( "division by anything",
        [
          case "values" values;
          case "the suppositions of the prover hold" facts_hold;
          case "intervals leave nothing out" intervals_hold;
          case "1 to 3, a difference of 4"
            (proved ~load:(each 1)
               ~coming:(set ^ "(e.target.nice & 2) + 1;")
               "count(src) >= 2 && src.cload - dst.cload >= 2");
          positive "&" (set ^ "(e.target.nice & 7) + 1;");
          positive "|" (set ^ "(e.target.nice & 6) | 1;");
          positive "%" (set ^ "(e.target.nice & 255) % 5 + 1;");
          positive "/" (set ^ "(e.target.nice & 1023) / 4 + 1;");
          positive "a square" (set ^ "e.target.nice * e.target.nice + 1;");
          positive "a square of a variable"
            ("int x = e.target.nice - 3; " ^ set ^ "x * x + 1;");
          positive "?: of its condition"
            (set ^ "e.target.nice < 1 ? 1 : e.target.nice;");
          positive "?: of both signs"
            (set ^ "e.target.nice < 0 ? 1 - e.target.nice : e.target.nice + 1;");
          positive "?: of two conditions"
            (set ^ "e.target.nice < 1 || e.target.nice > 9 ? 9 : e.target.nice;");
          positive "a function" (set ^ "max(e.target.nice, 1);");
          positive "a function that returns early"
            (set ^ "clamp(e.target.nice) * clamp(e.target.nice - 5);");
          positive "a variable that is mended"
            ("int w = e.target.nice; if (w < 1) w = 1; if (w > 9) w = 9; " ^ set
           ^ "w;");
          positive "a variable that a loop raises"
            ("int k = 1; foreach (x in system_cores()) { if (k < 5) k++; } "
           ^ set ^ "k;");
          positive "a count that only grows"
            (Printf.sprintf "%s++; %s%s;" count set count);
          positive "a count up to a limit"
            (Printf.sprintf "if (%s < 3) %s++; %s%s;" count count set count);
          case "a guard that always holds"
            (proved ~load:(each 1) "rounds >= 0 && count(src) >= 2");
        ] );
      ( "not proved",
        [
          case "1024 each, a difference of 1024"
            (refuted ~load:(each 1024) (by 1024) "steal_safe");
          case "1024 each, a difference of 2049"
            (refuted ~load:(each 1024) (by 2049) "filter_complete");
          case "2 to 3, one may weigh 3" (not_of_two 2 3 (by 3) "steal_safe");
          case "2 to 4, one may weigh as much as two"
            (not_of_two 2 4 (by 4) "steal_safe");
          case "3 or 5, a difference of 7"
            (not_of_two 3 5 (by 7) "filter_complete");
          case "divided by 0"
            (refuted ~load:(each 1) "count(src) / count(dst) >= 2"
               "filter_complete");
          case "the rest by 0"
            (refuted ~load:(each 1) "count(src) % count(dst) >= 1" "steal_safe");
          perhaps_not "&, which may be 0" (set ^ "e.target.nice & 7;");
          perhaps_not "|, which may be negative" (set ^ "e.target.nice | 1;");
          perhaps_not "% of any number" (set ^ "e.target.nice % 5 + 4;");
          perhaps_not "a cube"
            (set ^ "e.target.nice * e.target.nice * e.target.nice + 1;");
          perhaps_not "?: of something else"
            (set ^ "e.target.born < 1 ? 1 : e.target.nice;");
          perhaps_not "?: the other way"
            (set ^ "e.target.nice < 1 ? e.target.nice : 1;");
          perhaps_not "mended before it is changed"
            ("int w = e.target.nice; if (w < 1) w = 1; w--; " ^ set ^ "w;");
          perhaps_not "a variable that a loop lowers"
            ("int k = 9; foreach (x in system_cores()) k -= 3; " ^ set ^ "k;");
          perhaps_not "a count that falls"
            (Printf.sprintf "%s--; %s%s;" count set count);
          perhaps_not "a condition that sets it"
            (set ^ "1; if (reset(e.target)) {}");
          perhaps_not "negated, a condition that sets it"
            (set ^ "1; if (!reset(e.target)) {}");
          case "the system says the load"
            (refuted ~load:"system int load;" (by 2) "filter_complete");
        ] );
    ]
