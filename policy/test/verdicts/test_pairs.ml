(* Thresholds that stop balancing although two large groups differ by two
   threads. Each case names the number of cores of the violation, plays the run
   again, and limits the length of the trace. *)

open Dromos_policy_explore
open Dromos_policy_verdict

let rusty = Changed.read "../../policies/scx_rusty.policy"

let violated ?(steps = 5) changes ~property ~cores () =
  let policy = Changed.policy rusty changes in
  let report = Verdict.check ~seconds:4. ~second:0. policy in
  let result =
    List.find (fun (r : Verdict.result) -> r.property = property) report.results
  in
  match result.answer with
  | Violated { trace; _ } ->
      Result.iter_error (fun why -> Alcotest.fail why) (Trace.replay trace);
      Alcotest.(check int) "cores" cores trace.instance.bounds.cores;
      let text = Fmt.str "%a" Trace.pp trace in
      let lines = String.split_on_char '\n' text in
      if List.length lines > 7 + steps then Alcotest.fail text;
      List.iter
        (fun line -> if String.length line > 200 then Alcotest.fail line)
        lines
  | _ ->
      Alcotest.failf "%a" (Verdict.pp ~trace:false ~times:true ~file:"") report

let load = "group_load(busiest) * 100 > group_load(g) * 110"
let balancing = violated ~property:Hcwc

let past percent =
  (load, Printf.sprintf "group_load(busiest) * 100 > group_load(g) * %d" percent)

(* Per core. A group of three beside one core is no exception. *)
let average percent =
  [
    ( load,
      Printf.sprintf
        "group_load(busiest) * 100 * size(g) > group_load(g) * %d * \
         size(busiest)"
        percent );
    ( "int group_load",
      "int size(group g) { int n = 0; foreach (c in g.cores) n++; return n; } \
       int group_load" );
  ]

(* More threads than cores by some part. *)
let crowded =
  [
    (load, "group_load(busiest) * 10 > size(busiest) * 11");
    List.nth (average 110) 1;
  ]

(* A thread stays in its domain unless another domain has far fewer busy
   cores. *)
let stays percent =
  [
    ( "t => z.ready;\n    }\n\n    On tick",
      Printf.sprintf
        "if (valid(h)) { domain near = first(h.domains); domain far = \
         first(z.domains); if (busy(near) * all(far) * 100 <= busy(far) * \
         all(near) * %d) z = first(near.cores order = { lowest cload }); } t \
         => z.ready; } On tick"
        percent );
    ( "int group_load",
      "int busy(domain d) { int n = 0; foreach (c in d.cores) if (c.cload > 0) \
       n++; return n; } int all(domain d) { int n = 0; foreach (c in d.cores) \
       n++; return n; } int group_load" );
  ]

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "pairs"
    [
      ( "balancing",
        [
          case "past a tenth" (balancing [] ~cores:60);
          case "past a quarter" (balancing [ past 125 ] ~cores:32);
          case "past twice as much" (balancing [ past 200 ] ~cores:8);
          case "a tenth on average" (balancing (average 110) ~cores:60);
          case "a quarter on average" (balancing (average 125) ~cores:32);
          case "a tenth more threads than cores" (balancing crowded ~cores:32);
          case "more in a smaller group"
            (balancing ~steps:60 [ past 100 ] ~cores:4);
        ] );
      ( "placement",
        [
          case "not a quarter fewer"
            (violated (stays 125) ~property:(Lcwc Unblock) ~cores:16);
          case "not a tenth fewer"
            (violated (stays 110) ~property:(Lcwc Unblock) ~cores:32);
        ] );
    ]
