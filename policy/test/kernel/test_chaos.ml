(* The C made for Linux, in a kernel that does anything a kernel may do:
   chaos.c. Faults seeded into the C are noticed. DROMOS_POLICY_SOAK=50 plays 50
   times as many games. *)

let sprintf = Printf.sprintf

let number name default =
  Option.fold ~none:default ~some:int_of_string (Sys.getenv_opt name)

let games = 3 * number "DROMOS_POLICY_SOAK" 1
let read file = In_channel.with_open_text file In_channel.input_all

let build file =
  Linux_pair.build ~driver:"chaos.c" ~name:file
    (Random_policy.policy (read file))

(* Returns the output of the program if it found a fault. *)
let play program ~seed ~operations =
  let out = Filename.temp_file "dromos" ".out" in
  Fun.protect ~finally:(fun () -> Sys.remove out) @@ fun () ->
  let status =
    Sys.command (sprintf "%s %d %d > %s" program seed operations out)
  in
  if status = 0 then None else Some (sprintf "%s(status %d)" (read out) status)

let stands file () =
  let program = build file in
  for i = 1 to games do
    let seed = Random.State.bits Watch.chance in
    match play program ~seed ~operations:2500 with
    | None -> ()
    | Some what -> Alcotest.failf "game %d, seed %d:@.%s" i seed what
  done

(* More queues than a program's stack has room for numbers. *)
let many_queues fifo () =
  let ready = "shared READY set<thread> ready;\n" in
  let more i = sprintf "shared READY set<thread> more%d;\n" i in
  let there, text =
    Texts_changed.replace ~from:ready
      ~by:(String.concat "" (ready :: List.init 200 more))
      (read fifo)
  in
  if not there then Alcotest.fail "fifo.policy has changed";
  let file = Filename.temp_file "dromos" ".policy" in
  Fun.protect ~finally:(fun () -> Sys.remove file) @@ fun () ->
  Out_channel.with_open_text file (fun out -> output_string out text);
  stands file ()

(* {1 Faults} *)

let faults =
  [
    ( "the CPU that says that a task runs is the one it runs on",
      "s64 c = scx_bpf_task_cpu(p);",
      "s64 c = bpf_get_smp_processor_id();" );
    ( "a thief puts down what was taken away from it",
      "&it->flight, HELD, LANDING) == HELD",
      "&it->flight, HELD, LANDING) != STILL" );
    ( "a thread that a thief holds is placed once more",
      "withdraw(t); /* a thief may hold it */",
      "" );
    ( "a thread that may not stay does",
      "if (it->state != NOWHERE &&\n      (!allowed(t, it->core) ||",
      "if (0 &&\n      (!allowed(t, it->core) ||" );
    ( "a task that runs past the policy is not noticed",
      "if (it->state != RUNNING || it->core != c) seize(t, c);",
      "" );
    ( "affinity is not asked where a thread is stolen",
      "&& allowed(t, e->destination)",
      "" );
    ( "a thread that the kernel has withdrawn is run",
      "  cancel();\n  return false;",
      "  return false;" );
    ( "a CPU is not told",
      "if (settle(lock, c, t)) kick(c);",
      "settle(lock, c, t);" );
    ( "keys that change before the thread comes are not noticed",
      "!keys_hold(t, state)",
      "false" );
    ( "tasks without a thread let their CPU idle",
      "prev->scx.slice = USUAL_SLICE; /* it has no thread, and goes on */",
      "" );
  ]

let noticed files (what, from, by) () =
  let shows file =
    let found = ref false in
    (Linux_pair.change :=
       fun text ->
         let there, text = Texts_changed.replace ~from ~by text in
         found := there;
         text);
    let program =
      Fun.protect ~finally:(fun () -> Linux_pair.change := Fun.id) @@ fun () ->
      build file
    in
    if not !found then Alcotest.failf "%s: the text has changed" what;
    List.exists
      (fun seed -> play program ~seed ~operations:5000 <> None)
      (List.init 160 succ)
  in
  let named name =
    List.filter (fun file -> Filename.basename file = name ^ ".policy") files
  in
  let some =
    List.concat_map named
      [
        "work_stealing";
        "random_stealing";
        "cfs_cwc_flat";
        "cfs_cwc";
        "moved_then_changed";
      ]
  in
  if not (List.exists shows some) then Alcotest.failf "%s: not noticed" what

(* Policies that sometimes leave ready threads where they are. *)
let lazy_ = [ "later_argument.policy" ]

let () =
  let files =
    List.filter
      (String.ends_with ~suffix:".policy")
      (List.tl (Array.to_list Sys.argv))
  in
  Watch.suite "C for Linux, any kernel" (fun () ->
      Alcotest.run ~and_exit:false
        ~argv:[| Sys.argv.(0) |]
        "C for Linux, any kernel"
        [
          ( "every task is there",
            List.filter_map
              (fun file ->
                let name = Filename.basename file in
                if List.mem name lazy_ then None
                else Some (Watch.case name (stands file)))
              files
            @ List.filter_map
                (fun file ->
                  if Filename.basename file = "fifo.policy" then
                    Some (Watch.case "many queues" (many_queues file))
                  else None)
                files );
          ( "faults are noticed",
            List.map
              (fun ((what, _, _) as fault) ->
                Watch.case what (noticed files fault))
              faults );
        ])
