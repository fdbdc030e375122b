(* Compiled policies do what the semantics says: the same events to both, and the
   whole state is compared after each. *)

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

let () =
  Watch.suite "policy runtime" (fun () ->
      Alcotest.run ~and_exit:false "policy runtime"
        [
          ( "compiled",
            List.map
              (fun ((name, _, _) as row) ->
                Watch.case (Filename.basename name) (agree row))
              Compiled_policies.Compiled.all );
        ])
