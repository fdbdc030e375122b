(* The guest's report, and the text that is made of it. *)

open Dromos_policy_boot

let strings = Alcotest.(list string)
let check = Alcotest.check

let says what text part =
  if not (Said.contains text part) then
    Alcotest.failf "%s: %S is not in:\n%s" what part text

(* {1 The guest's report} *)

let report =
  [
    "guest cpus=4 sched_ext=1 btf=1 tracing=1 kernel=6.18.15+deb13 and more";
    "calibrated units=50000";
    "run workload=burst scheduler=kernel";
    "result name=burst threads=16 work=100000 elapsed_ns=1000000000 \
     cpu_ns=2000000000 least_ns=100000000 most_ns=200000000 \
     longest_wait_ns=30000000";
    "done workload=burst scheduler=kernel code=0 in_time=1 \
     elapsed_ns=1100000000 cpu_ns=2100000000 migrations=25 switches=400 \
     enabled=0";
    "trace workload=burst scheduler=kernel bytes=10 lost=3 whole=1 took_ns=5";
    "program name=enqueue insns=30";
    "program name=dispatch insns=12";
    "attached load_ns=1000000 attach_ns=2000000 name=fifo";
    "run workload=burst scheduler=policy";
    "exit kind=1026 code=0";
    "exit_reason runnable task stall";
    "exit_message work[17] failed to run for 3.008s";
    "exit_message and more = of it";
    "result name=burst threads=16 work=100000 elapsed_ns=4000000000 \
     cpu_ns=2000000000 least_ns=-1 most_ns=-1 longest_wait_ns=-1";
    "done workload=burst scheduler=policy code=0 in_time=1 \
     elapsed_ns=4100000000 cpu_ns=2100000000 migrations=-1 switches=7 \
     enabled=0";
    "loader gone=1";
    "note text=something a=b odd";
    "state state=disabled";
    "end";
  ]

let fine =
  [
    "guest cpus=2 sched_ext=1 btf=1 tracing=0 kernel=7.3.4";
    "attached load_ns=1000000 attach_ns=2000000 name=fifo";
    "run workload=starve scheduler=policy";
    "done workload=starve scheduler=policy code=0 in_time=1 elapsed_ns=1 \
     cpu_ns=1 migrations=1 switches=1 enabled=1";
    "exit kind=64 code=0";
    "loader gone=0";
    "end";
  ]

let test_transcript () =
  let t = Transcripts.of_lines report in
  (match t.guest with
  | Some g ->
      check Alcotest.int "CPUs" 4 g.cpus;
      check Alcotest.string "kernel" "6.18.15+deb13 and more" g.kernel
  | None -> Alcotest.fail "no guest");
  check strings "runs" [ "burst"; "burst" ]
    (List.map (fun (r : Transcript.run) -> r.workload) t.runs);
  (match t.runs with
  | [ a; b ] ->
      check Alcotest.(option int) "moves" (Some 25) a.migrations;
      check Alcotest.(option int) "no moves" None b.migrations;
      check Alcotest.bool "trace" true
        (a.trace = Some { bytes = 10; lost = 3; whole = true });
      check Alcotest.bool "no trace" true (b.trace = None)
  | _ -> Alcotest.fail "two runs");
  (match t.loadings with
  | [ l ] -> (
      check Alcotest.bool "programs" true
        (l.programs = [ ("enqueue", 30); ("dispatch", 12) ]);
      check Alcotest.(option int) "gone" (Some 1) l.gone;
      match l.exit with
      | Some exit ->
          check Alcotest.bool "put out" true (Transcripts.put_out exit);
          check Alcotest.string "reason" "runnable task stall" exit.reason;
          check strings "message"
            [ "work[17] failed to run for 3.008s"; "and more = of it" ]
            exit.message
      | None -> Alcotest.fail "no exit")
  | _ -> Alcotest.fail "one loading");
  check strings "notes" [ "something a=b odd" ] t.notes;
  check Alcotest.bool "ended" true t.ended

(* Half a line is kept, and a line printed by another program too. *)
let test_odd_lines () =
  let lines =
    [
      "done workload=burst scheduler=kernel code=0";
      "run workload=burst";
      "result name=x threads=two";
      "exit_reason of nothing";
      "perf: interrupt took too long";
      "=";
    ]
  in
  let t = Transcripts.of_lines lines in
  check strings "notes" lines t.notes;
  check Alcotest.bool "no runs" true (t.runs = [])

(* A policy is loaded again after it was put out. *)
let test_loadings () =
  let once =
    [
      "attached load_ns=1 attach_ns=1 name=a";
      "exit kind=1026 code=0";
      "loader gone=1";
    ]
  in
  let t = Transcripts.of_lines (once @ once @ [ "loader killed=9" ]) in
  check
    Alcotest.(list (option int))
    "gone"
    [ Some 1; Some 1; Some 137 ]
    (List.map (fun (l : Transcript.loading) -> l.gone) t.loadings)

(* CPUs came or went: the kernel asks for a new start. *)
let started_again =
  [
    "guest cpus=2 sched_ext=1 btf=1 tracing=1 kernel=6.18";
    "attached load_ns=1 attach_ns=1 name=a";
    "ops dromos_a";
    "run workload=starve scheduler=policy";
    Printf.sprintf "exit kind=66 code=%d" ((1 lsl 32) lor (1 lsl 48));
    "restarted";
    "attached load_ns=1 attach_ns=1 name=a";
    "ops dromos_a";
    "done workload=starve scheduler=policy code=0 in_time=1 elapsed_ns=1 \
     cpu_ns=1 migrations=1 switches=1 enabled=1";
    "exit kind=64 code=0";
    "loader gone=0";
    "end";
  ]

let test_restarted () =
  let t = Transcripts.of_lines started_again in
  check strings "no odd lines" [] t.notes;
  check
    Alcotest.(list (pair bool (option string)))
    "loadings"
    [ (true, Some "dromos_a"); (false, Some "dromos_a") ]
    (List.map (fun (l : Transcript.loading) -> (l.restarted, l.ops)) t.loadings);
  check
    Alcotest.(list (option int))
    "gone" [ None; Some 0 ]
    (List.map (fun (l : Transcript.loading) -> l.gone) t.loadings)

(* {1 The report} *)

let outcome ?(trouble = Outcome.Nothing) ?emulated ?(reasons = []) lines =
  {
    Outcome.image = { image = "/k"; release = "6.18"; origin = "as told" };
    emulated;
    transcript = Transcripts.of_lines lines;
    trouble;
    reasons;
    traces = [];
    console = Some "/boot/console.log";
  }

let text o = Fmt.str "%a" (Report.pp ~name:"p") o

let test_rows () =
  match Rows.of_outcome (outcome report) with
  | [ a; b ] ->
      let near = Alcotest.(option (float 1e-9)) in
      check near "rate" (Some 50000.) a.rate;
      check near "used" (Some 0.5) a.used;
      check near "fairness" (Some 0.5) a.fairness;
      check near "wait" (Some 0.03) a.longest_wait;
      check near "no fairness" None b.fairness;
      check near "no trace" None a.idle_beside;
      check near "no wait" None b.longest_wait;
      check near "no rate when put out" None b.rate;
      check Alcotest.(option int) "no switches" None b.switches;
      check Alcotest.(option string) "well" None a.outcome;
      check Alcotest.(option string) "put out" (Some "put out") b.outcome
  | _ -> Alcotest.fail "two rows"

(* A core that idles for a fifth of the core time beside a core with two
   threads. *)
let trace =
  {|
      a-1     [000] d.... 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
 <idle>-0     [001] d.... 1.000010: sched_wakeup: comm=c pid=3 prio=120 target_cpu=001
 <idle>-0     [001] d.... 1.000015: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=c next_pid=3 next_prio=120
      b-2     [000] d.... 1.000040: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
|}

(* The policy schedules until the end of the workload. *)
let with_policy_on line =
  if String.starts_with ~prefix:"done workload=burst scheduler=policy" line then
    String.sub line 0 (String.length line - 1) ^ "1"
  else line

let test_recorded () =
  let figures text =
    Result.map
      (fun trace -> Dromos_policy_trace.Summary.of_trace trace)
      (Dromos_policy_trace.Read.text text)
  in
  let recorded scheduler text =
    {
      Outcome.workload = "burst";
      scheduler;
      file = "/some/burst.trace";
      figures = figures text;
    }
  in
  let of_lines lines =
    {
      (outcome lines) with
      traces = [ recorded Policy trace; recorded Kernel "nothing" ];
    }
  in
  let put_out = of_lines report in
  let o = of_lines (List.map with_policy_on report) in
  let near = Alcotest.(option (float 1e-9)) in
  (match Rows.of_outcome o with
  | [ a; b ] ->
      check near "not read" None a.idle_beside;
      check near "idle beside" (Some 0.125) b.idle_beside;
      check near "woken" (Some 5e-6) b.wait_p99;
      check near "the workload's own" (Some 0.03) a.longest_wait;
      check near "recorded" (Some 40e-6) b.longest_wait
  | _ -> Alcotest.fail "two rows");
  (match Rows.of_outcome put_out with
  | [ _; b ] -> check near "recorded, and put out" None b.idle_beside
  | _ -> Alcotest.fail "two rows");
  says "unreadable output" (text o) "the trace of burst, kernel: ";
  let open Yojson.Safe.Util in
  let run i = Json.of_outcome ~name:"p" o |> member "runs" |> index i in
  check Alcotest.string "file" "burst.trace"
    (run 1 |> member "trace" |> to_string);
  check Alcotest.bool "figures" true (run 1 |> member "recorded" |> keys <> [])

let test_text () =
  let t = text (outcome ~emulated:"no KVM" report) in
  List.iter (says "report" t)
    [
      "p on 4 CPUs";
      "emulated (no KVM)";
      "42 instructions verified in 2 programs";
      "the kernel put the policy out: runnable task stall";
      "work[17] failed to run";
      "lost 3 events";
      "50.0 %";
      "30.0 ms";
    ];
  let panic = Outcome.Panic [ "Kernel panic - not syncing"; "no init" ] in
  says "panic" (text (outcome ~trouble:panic [])) "no init";
  let hung = Outcome.Hung { seconds = 90.; last = "run workload=locks" } in
  says "hung" (text (outcome ~trouble:hung fine)) "run workload=locks";
  says "console"
    (text (outcome ~reasons:[ "sched_ext: disabled" ] report))
    "put the policy out";
  says "BTF"
    (text
       (outcome
          [ "guest cpus=4 sched_ext=1 btf=0 tracing=0 kernel=6.12"; "end" ]))
    "does not describe its types"

let test_verifier () =
  let t =
    text
      (outcome
         [
           "guest cpus=4 sched_ext=1 btf=1 tracing=0 kernel=6.12";
           "refused what=load error=Invalid argument";
           "log 12: (85) call something";
           "log R1 is out of bounds";
           "log processed 15 insns (limit 1000000)";
           "log libbpf: failed to load";
           "loader gone=2";
           "end";
         ])
  in
  says "error" t "refused to load the policy: Invalid argument";
  says "its reason first" t "Invalid argument\n  R1 is out of bounds"

let test_stayed () =
  let stays = Boot.stayed in
  check Alcotest.bool "fine" true (stays (outcome fine));
  check Alcotest.bool "put out" false (stays (outcome report));
  let without line = List.filter (fun l -> l <> line) fine in
  check Alcotest.bool "not done" false (stays (outcome (without "end")));
  check Alcotest.bool "panic" false (stays (outcome ~trouble:(Panic []) fine));
  check Alcotest.bool "nothing ran" false (stays (outcome [ "end" ]));
  check Alcotest.bool "put out at its end" false
    (stays
       (outcome
          (List.map
             (fun l ->
               if l = "exit kind=64 code=0" then "exit kind=1025 code=0" else l)
             fine)))

(* The kernel's codes: a reason (bit 32), an action (bit 48), an own number. *)
let test_codes () =
  let said code =
    let lines =
      List.map
        (fun l ->
          if l = "exit kind=1026 code=0" then
            Printf.sprintf "exit kind=1026 code=%d" code
          else l)
        report
    in
    text (outcome lines)
  in
  let has what code =
    match Str.search_forward (Str.regexp_string what) (said code) 0 with
    | _ -> ()
    | exception Not_found ->
        Alcotest.failf "code %d: %S is not in %s" code what (said code)
  in
  has "(CPUs came or went; the kernel asks that the policy is started again)"
    ((1 lsl 32) lor (1 lsl 48));
  has "(CPUs came or went; code 7)" ((1 lsl 32) lor 7);
  has "(code 7)" 7

let test_started_again () =
  let o = outcome started_again in
  let said = text o in
  List.iter
    (says "started again" said)
    [
      "the policy was started again";
      "root/ops: dromos_a";
      "console, with its kernel's warnings: /boot/console.log";
    ];
  check Alcotest.bool "stayed" true (Boot.stayed o);
  check Alcotest.bool "put out at last" false
    (Boot.stayed
       (outcome
          (List.map
             (fun l ->
               if l = "exit kind=64 code=0" then "exit kind=1025 code=0" else l)
             started_again)))

let test_json () =
  let json = Json.of_outcome ~name:"p" (outcome report) in
  let open Yojson.Safe.Util in
  check Alcotest.bool "stayed" false (json |> member "stayed" |> to_bool);
  check strings "schedulers" [ "kernel"; "policy" ]
    (json |> member "runs" |> to_list
    |> List.map (fun run -> run |> member "scheduler" |> to_string));
  check Alcotest.string "reason" "runnable task stall"
    (json |> member "loadings" |> index 0 |> member "exit" |> member "reason"
   |> to_string)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "report of a boot"
    [
      ( "report of a guest",
        [
          case "lines" test_transcript;
          case "odd lines" test_odd_lines;
          case "loadings" test_loadings;
          case "started again" test_restarted;
        ] );
      ( "figures",
        [
          case "rows" test_rows;
          case "recorded" test_recorded;
          case "text" test_text;
          case "the verifier's reason" test_verifier;
          case "stayed" test_stayed;
          case "codes in words" test_codes;
          case "started again" test_started_again;
          case "JSON" test_json;
        ] );
    ]
