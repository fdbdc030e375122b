(* Compiled policies agree with the semantics: after each event the whole states
   are compared. *)

let threads = 7

let run cores events (name, text, generated) =
  let policy = Random_policy.policy text in
  let t = Pair.make ~cores ~threads policy generated in
  let past = ref [] in
  Pair.set_system t (fun () -> Random.State.int Watch.chance 9);
  for n = 1 to events do
    past := Events.next Watch.chance t :: !past;
    match Pair.difference t with
    | None -> ()
    | Some what ->
        let last = List.filteri (fun i _ -> i < 12) !past in
        Alcotest.failf "%s@.%s, event %d: %s@.after, the last first:@.  %s" text
          name n what
          (String.concat "\n  " last)
  done

let agree row () =
  run 1 100 row;
  for _ = 1 to 3 do
    run 3 300 row
  done

(* A retiring worker takes away the threads of its core. They come back by
   `attach` on a core that is served. *)
let withdrawn () =
  let open Dromos_policy_runtime in
  let _, text, generated =
    List.find
      (fun (name, _, _) -> Filename.basename name = "all_events.policy")
      Compiled_policies.Compiled.all
  in
  let policy = Random_policy.policy text in
  let t = Pair.make ~cores:2 ~threads:2 policy generated in
  let word owner name =
    List.find
      (fun (a : Dromos_policy_core.Core.attribute) ->
        a.name = name && a.owner = owner)
      (Array.to_list policy.attributes)
    |> Pair.word t
  in
  let ready = (List.hd (Dromos_policy_core.Query.ready policy)).state_id in
  let check what expected found =
    Alcotest.(check (list int)) what expected found
  in
  Array.iter (t.hub.push 0 New) t.tasks;
  t.hub.retire 0;
  check "each was told" [ 1; 1 ]
    (List.map
       (fun task -> Machine.thread_word task (word Of_thread "taken"))
       (Array.to_list t.tasks));
  check "nothing is left" [ 0; 0 ]
    [ Machine.runnable t.runtime 0; Machine.cload t.runtime 0 ];
  check "each came back" [ 1; 1 ]
    (List.map
       (fun task -> Machine.thread_word task (word Of_thread "came"))
       (Array.to_list t.tasks));
  check "where the policy says" [ 2; 2 ]
    [ Machine.runnable t.runtime 1; Machine.count t.runtime 1 ready ];
  check "a core without a worker is none" [ 1 ] (Machine.cores t.runtime);
  check "the core too, once" [ 1; 0 ]
    (List.map
       (fun c -> Machine.core_word t.runtime c (word Of_core "ends"))
       [ 0; 1 ]);
  let run_next () =
    match t.hub.steal 1 with
    | None -> Alcotest.fail "a thread is lost"
    | Some task ->
        let n = Pair.number_of t task in
        t.hub.finished 1 t.tasks.(n);
        n
  in
  check "another worker runs them" [ 0; 1 ]
    (List.sort Int.compare [ run_next (); run_next () ])

(* A running thread makes three threads in a row, before any other worker pops:
   each goes to a core of its own, if the policy sees that a core with a thread
   on its way is not idle. *)
let in_a_row expected ((_, text, generated) : string * string * _) () =
  let t = Pair.make ~cores:4 ~threads:4 (Random_policy.policy text) generated in
  let runnable () =
    List.init 4 (Dromos_policy_runtime.Machine.runnable t.runtime)
  in
  t.hub.push 0 New t.tasks.(0);
  (match List.find_opt (fun c -> t.hub.pop c <> None) [ 0; 1; 2; 3 ] with
  | None -> Alcotest.fail "no core runs the first thread"
  | Some c -> List.iter (fun i -> t.hub.push c New t.tasks.(i)) [ 1; 2; 3 ]);
  Alcotest.(check (list int))
    "the threads of each core" expected
    (List.sort Int.compare (runnable ()))

(* The paper's machine: more cores than a word has bits. *)
let paper's_cores row () = run 160 200 row

let () =
  Watch.suite "policy runtime" (fun () ->
      Alcotest.run ~and_exit:false "policy runtime"
        [
          ( "compiled",
            List.map
              (fun ((name, _, _) as row) ->
                Watch.case (Filename.basename name) (agree row))
              Compiled_policies.Compiled.all );
          ( "in a row",
            List.filter_map
              (fun ((file, _, _) as row) ->
                let name = Filename.basename file in
                let row_of expected =
                  Some (Watch.case name (in_a_row expected row))
                in
                match Filename.remove_extension name with
                | "idle_first" | "idle_sibling" | "smt_first" | "fifo" ->
                    row_of [ 1; 1; 1; 1 ]
                | "by_slot" -> row_of [ 0; 0; 1; 3 ]
                | _ -> None)
              Compiled_policies.Compiled.all );
          ("withdrawn", [ Watch.case "by the interface" withdrawn ]);
          ( "160 cores",
            List.filter_map
              (fun ((name, _, _) as row) ->
                let name = Filename.basename name in
                let chosen =
                  [ "all_events.policy"; "ule_cwc.policy"; "cfs_cwc.policy" ]
                in
                if List.mem name chosen then
                  Some (Watch.case name (paper's_cores row))
                else None)
              Compiled_policies.Compiled.all );
        ])
