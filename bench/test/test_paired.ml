(* Paired times: the interval of their ratio, and the verdict. *)

open Bench_driver
open Lab

let verdict =
  Alcotest.testable
    (fun ppf v -> Fmt.string ppf (Paired.name v))
    (fun (a : Paired.verdict) b -> a = b)

let compare own peer =
  match Paired.compare ~own ~peer with
  | Some result -> result
  | None -> Alcotest.fail "no pair"

let judged own peer = (compare own peer).verdict

let identical () =
  let times = series ~seed:1 ~noise:0.2 1. in
  let result = compare times times in
  Alcotest.check verdict "verdict" Equal result.verdict;
  Alcotest.check close "ratio" 1. result.ratio;
  Alcotest.check close "low" 1. result.low;
  Alcotest.check close "high" 1. result.high;
  Alcotest.check close "within" 0. (Paired.within result);
  Alcotest.(check int) "pairs" 16 result.pairs

let apart () =
  let one = series ~seed:1 ~noise:0.01 1. in
  let ten = series ~seed:2 ~noise:0.01 1.1 in
  let behind = compare ten one in
  Alcotest.check verdict "a tenth slower" Behind behind.verdict;
  Alcotest.check verdict "a tenth faster" Ahead (judged one ten);
  Alcotest.(check bool)
    "1.1 is in the interval" true
    (behind.low <= 1.1 && 1.1 <= behind.high && behind.low <= behind.ratio
    && behind.ratio <= behind.high)

let near () =
  let one = series ~seed:1 ~noise:0.02 1. in
  let result = compare (series ~seed:2 ~noise:0.02 1.) one in
  Alcotest.check verdict "2 % noise" Equal result.verdict;
  Alcotest.(check bool)
    "says how near" true
    (0. < Paired.within result && Paired.within result <= Paired.resolution)

(* A wide interval is no draw. *)
let wide () =
  let one = series ~seed:1 ~noise:0.4 1. in
  let result = compare (series ~seed:2 ~noise:0.4 1.) one in
  Alcotest.check verdict "40 % noise" Unclear result.verdict;
  Alcotest.(check bool) "wide" true (Paired.within result > Paired.resolution)

(* A narrow interval with an end far from 1 is no draw: the half width is 4 %,
   and the series may be 7 % apart. *)
let lopsided () =
  let ratios = [ 0.93; 0.93; 0.93; 0.93; 1.001; 1.001; 1.001; 1.001 ] in
  let result = compare ratios (List.map (fun _ -> 1.) ratios) in
  Alcotest.check close "low" 0.93 result.low;
  Alcotest.check close "high" 1.001 result.high;
  Alcotest.check verdict "verdict" Unclear result.verdict;
  Alcotest.check close "within" 0.07 (Paired.within result)

(* Two runs of sixteen that took ten times as long decide nothing. *)
let outliers () =
  let one = series ~seed:1 ~noise:0.01 1. in
  let disturbed = List.mapi (fun i t -> if i mod 8 = 3 then 10. *. t else t) in
  let other = series ~seed:2 ~noise:0.01 1. in
  Alcotest.check verdict "equal" Equal (judged (disturbed other) one);
  Alcotest.check verdict "ahead" Ahead
    (judged (disturbed (scaled 0.9 other)) one)

(* A disturbance of both runs of a pair cancels out. *)
let drift () =
  let one = series ~seed:1 ~noise:0.01 1. in
  let other = series ~seed:2 ~noise:0.01 1.1 in
  let slowed = List.mapi (fun i t -> (1. +. float_of_int i) *. t) in
  let result = compare (slowed other) (slowed one) in
  Alcotest.check verdict "behind" Behind result.verdict;
  Alcotest.(check bool)
    "the interval is as narrow" true
    (result.high -. result.low < 0.05)

let few () =
  let one = compare [ 1. ] [ 2. ] in
  Alcotest.check verdict "one run" Unclear one.verdict;
  Alcotest.check close "its ratio" 0.5 one.ratio;
  let half count =
    judged (List.init count (fun _ -> 1.)) [ 2.; 2.; 2.; 2.; 2.; 2. ]
  in
  Alcotest.check verdict "too few" Unclear (half (Paired.least_pairs - 1));
  Alcotest.check verdict "enough" Ahead (half Paired.least_pairs)

let ties () =
  let result =
    compare (List.init 8 (fun _ -> 1.)) (List.init 8 (fun _ -> 1.))
  in
  Alcotest.check verdict "all the same" Equal result.verdict;
  Alcotest.check close "no width" 0. (result.high -. result.low);
  let half = [ 0.9; 1.; 0.9; 1.; 0.9; 1.; 0.9; 1. ] in
  let mixed = compare half (List.map (fun _ -> 1.) half) in
  Alcotest.check close "between" 0.95 mixed.ratio;
  Alcotest.check close "low" 0.9 mixed.low;
  Alcotest.check close "an end at 1 is not below it" 1. mixed.high;
  Alcotest.check verdict "not ahead" Unclear mixed.verdict

let unusable () =
  let none own peer =
    Alcotest.(check bool) "no pair" true (Paired.compare ~own ~peer = None)
  in
  none [] [];
  none [ 1. ] [];
  none [ nan ] [ 1. ];
  none [ 1. ] [ 0. ];
  let some = compare [ 1.; nan; 3.; 4.; 5. ] [ 2.; 1.; 6.; infinity ] in
  Alcotest.(check int) "the remaining pairs" 2 some.pairs;
  Alcotest.check close "in their order" 0.5 some.ratio

let repeatable () =
  let own = series ~seed:1 ~noise:0.2 1.
  and peer = series ~seed:2 ~noise:0.2 1. in
  Alcotest.(check bool) "again" true (compare own peer = compare own peer)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "paired"
    [
      ( "paired",
        [
          case "identical" identical;
          case "a tenth apart" apart;
          case "near" near;
          case "wide" wide;
          case "lopsided" lopsided;
          case "outliers" outliers;
          case "drift" drift;
          case "few" few;
          case "ties" ties;
          case "unusable" unusable;
          case "repeatable" repeatable;
        ] );
    ]
