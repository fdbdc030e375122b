(* Recordings of Linux 6.18 with four cores: ftrace's text, and a file of perf
   sched record. The expected numbers come from other programs: some lines of
   Python for the text, perf sched (timehist, latency) for the file. *)

open Dromos_policy_trace

let read file =
  match Read.file file with
  | Ok trace when trace.faulty = 0 -> trace
  | Ok { faults = { line; text } :: _; _ } ->
      Alcotest.failf "%s:%d: %s" file line text
  | Ok _ -> Alcotest.failf "%s has faults" file
  | Error why -> Alcotest.fail why

let count = Alcotest.(check int)
let near what = Alcotest.(check (float 0.51)) what

let ran (f : Figures.t) name =
  match List.find_opt (fun (u : Figures.used) -> u.thread = name) f.used with
  | Some u -> u.ran
  | None -> Alcotest.failf "no %s" name

let ftrace () =
  let trace = read "guest.txt" in
  count "events" 268 (Array.length trace.events);
  let f = Summary.of_trace trace in
  count "cores" 4 f.cores;
  near "time" 613412. f.time;
  near "core time in which threads ran" 2146563. (f.busy *. f.time *. 4.);
  near "all is known" 0. f.not_known;
  count "switches to threads" 126 f.switches;
  count "waits from waking" 75 f.woken.count;
  near "the longest" 62772. f.woken.longest;
  near "the middle" 206. f.woken.p50;
  count "no switch is missing" 0 f.missing;
  near "most time" 390790. (ran f "sh[166]")

let perf () =
  let trace = read "guest.data" in
  count "events" 191 (Array.length trace.events);
  let f = Summary.of_trace trace in
  count "cores" 4 f.cores;
  near "the longest wait" 31945. f.preempted.longest;
  count "no switch is missing" 0 f.missing;
  List.iter
    (fun (name, ran_us) -> near name ran_us (ran f name))
    [
      ("rcu_preempt[15]", 28538.);
      ("migration/0[18]", 4314.);
      ("migration/2[29]", 348.);
      ("kcompactd0[52]", 114.);
      ("kworker/0:1[11]", 703.);
    ]

(* {1 Incomplete files} *)

let contents file = In_channel.with_open_bin file In_channel.input_all

let says expected text =
  match Read.text text with
  | Ok _ -> Alcotest.failf "it is read; not: %s" expected
  | Error why -> Alcotest.(check string) "why" expected why

(* A file cut off or changed at any place raises no exception. The last parts of
   the file are not needed. *)
let cut_off () =
  let whole = contents "guest.data" in
  let n = String.length whole in
  for i = 0 to 400 do
    match Read.text (String.sub whole 0 (i * n / 401)) with
    | Error _ -> ()
    | Ok trace -> count "all events" 191 (Array.length trace.events)
  done

let changed () =
  let random = Random.State.make [| 38 |] in
  let whole = contents "guest.data" in
  for _ = 1 to 300 do
    let b = Bytes.of_string whole in
    for _ = 0 to Random.State.int random 4 do
      let at =
        if Random.State.bool random then Random.State.int random 400
        else Random.State.int random (Bytes.length b)
      in
      Bytes.set_uint8 b at (Random.State.int random 256)
    done;
    match Read.text (Bytes.to_string b) with
    | Error _ -> ()
    | Ok trace -> ignore (Summary.of_trace trace : Figures.t)
  done

let text_changed () =
  let random = Random.State.make [| 38 |] in
  let whole = contents "guest.txt" in
  for _ = 1 to 100 do
    let b = Bytes.of_string whole in
    for _ = 0 to 200 do
      Bytes.set_uint8 b
        (Random.State.int random (Bytes.length b))
        (32 + Random.State.int random 90)
    done;
    match Read.text (Bytes.to_string b) with
    | Error _ -> ()
    | Ok trace -> ignore (Summary.of_trace trace : Figures.t)
  done

let task pid = { Trace.pid; comm = "t" }

let events =
  let event cpu current at what =
    { Trace.at = 1_000_000 + (at * 1000); cpu; current; what }
  in
  let switch cpu at prev next =
    event cpu prev at
      (Switch { prev = task prev; ready = true; dead = false; next = task next })
  in
  [ switch 0 0 1 2; switch 1 3 4 0; switch 0 5 2 1; switch 1 9 0 3 ]

let written ?features ?more () =
  Written.perf_data ?features ?more ~cpus:2 events

let of_each_kind () =
  let event at what = { Trace.at; cpu = 1; current = 4; what } in
  let all =
    [
      event 1
        (Switch { prev = task 4; ready = false; dead = true; next = task 0 });
      event 2
        (Switch { prev = task 0; ready = true; dead = false; next = task 4 });
      event 3
        (Switch { prev = task 4; ready = false; dead = false; next = task 2 });
      event 4 (Wakeup { task = task 5; onto = 1; fresh = false });
      event 5 (Wakeup { task = task 5; onto = 0; fresh = true });
      event 6 (Waking { task = task 5; onto = 1 });
      event 7 (Migrate { task = task 5; from = 1; onto = 0 });
      event 8 (Fork { pid = 6; comm = "of 16 letters.." });
      event 9 (Exit (task 6));
    ]
  in
  match Read.text (Written.perf_data ~cpus:2 all) with
  | Error why -> Alcotest.fail why
  | Ok trace ->
      Alcotest.(check (list string))
        "events" (List.map Lines.show all)
        (List.map Lines.show (Array.to_list trace.events))

let with_lost () =
  let lost = { Trace.at = 1_007_000; cpu = 1; current = -1; what = Lost 5 } in
  match Read.text (Written.perf_data ~cpus:2 (events @ [ lost ])) with
  | Error why -> Alcotest.fail why
  | Ok trace ->
      count "lost" 5 trace.lost;
      near "not known" 6. (Summary.of_trace trace).not_known

let compressed () =
  let again = "its records are compressed: record again without -z" in
  says again (written ~more:(fun b -> Written.record b 81 "zstd....") ());
  says again (written ~features:((1 lsl 1) lor (1 lsl 27)) ())

let no_events () =
  says "it has no trace events: use perf sched record" (written ~features:0 ())

let of_a_pipe () =
  says "it was written to a pipe: record into a file (-o FILE)"
    ("PERFILE2\016\000\000\000\000\000\000\000" ^ String.make 200 '\000')

let not_ended () =
  let b = Bytes.of_string (written ()) in
  Bytes.set_int64_le b 48 0L;
  says "its recording was not ended, so that it does not say what is in it"
    (Bytes.to_string b)

let cases =
  let case name f = Alcotest.test_case name `Quick f in
  [
    ("recorded", [ case "ftrace" ftrace; case "perf sched record" perf ]);
    ( "perf.data",
      [
        case "cut off" cut_off;
        case "changed" changed;
        case "text, changed" text_changed;
        case "events of each kind" of_each_kind;
        case "lost events" with_lost;
        case "compressed" compressed;
        case "other events" no_events;
        case "a pipe" of_a_pipe;
        case "not ended" not_ended;
      ] );
  ]
