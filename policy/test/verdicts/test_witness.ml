(* Violations that exist only on larger machines are found on the machine of the
   prover's witness. The search has more time here than necessary. Violations
   found before the rest of the series are small. *)

open Dromos_policy_explore
open Dromos_policy_verdict

let policy changes =
  Changed.policy (Changed.read "witness/low_use.policy") changes

(* The machine has at most this number of cores and threads, and the trace can
   be replayed. *)
let violated ?(property = Dromos_policy_prove.Prove.Gcwc) (cores, threads)
    changes () =
  let report = Verdict.check ~seconds:20. ~second:0. (policy changes) in
  let result =
    List.find (fun (r : Verdict.result) -> r.property = property) report.results
  in
  match result.answer with
  | Violated { trace; _ } ->
      let b = trace.instance.bounds in
      if b.cores > cores || b.threads > threads then
        Alcotest.fail (Bounds.show b);
      Result.iter_error (fun why -> Alcotest.fail why) (Trace.replay trace)
  | _ ->
      Alcotest.failf "%a" (Verdict.pp ~trace:false ~times:true ~file:"") report

let use = "busy * 4 < all"

let capacity =
  ("system shared int cload;", "system shared int cload; system int capacity;")

let low_use body = ("return busy * 4 < all;", body)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "witness"
    [
      ( "cores",
        [
          case "less than a quarter" (violated (5, 2) []);
          case "less than an eighth"
            (violated (9, 2) [ (use, "busy * 8 < all") ]);
          case "less than a twelfth"
            (violated (13, 2) [ (use, "busy * 12 < all") ]);
          case "more than four" (violated (6, 6) [ (use, "busy > 4") ]);
          case "a placement on many"
            (violated ~property:(Lcwc New) (6, 2)
               [
                 ( "core c = first(system_cores() order = { lowest cload });",
                   "core c = self; int all = 0; foreach (d in system_cores()) \
                    all++; if (all < 6) c = first(system_cores() order = { \
                    lowest cload });" );
               ]);
        ] );
      ( "threads",
        [
          case "six before it balances"
            (violated (2, 3)
               [
                 low_use
                   "int total = 0; foreach (c in system_cores()) total += \
                    count(c); return total < 6;";
               ]);
          case "not with ten"
            (violated (2, 10)
               [
                 low_use
                   "int total = 0; foreach (c in system_cores()) total += \
                    count(c); return total > 9;";
               ]);
        ] );
      ( "attributes",
        [
          case "four fast cores"
            (violated (4, 2)
               [
                 capacity;
                 low_use
                   "int fast = 0; foreach (c in system_cores()) if (c.capacity \
                    > 512) fast++; return fast > 3;";
               ]);
          case "six fast cores, others idle"
            (violated (7, 2)
               [
                 capacity;
                 low_use
                   "int fast = 0; foreach (c in system_cores()) if (c.capacity \
                    > 512 && count(c) == 0) fast++; return fast > 5;";
               ]);
        ] );
    ]
