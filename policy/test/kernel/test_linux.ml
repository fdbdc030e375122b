(* The C made for Linux agrees with the semantics: after each event the whole
   states are compared. *)

let sprintf = Printf.sprintf

exception Differ of string

let run ~threads ~events policy program topology =
  let t = Linux_pair.start ~topology ~threads policy program in
  Fun.protect ~finally:(fun () -> Linux_pair.stop t) @@ fun () ->
  let past = ref [] in
  let check n =
    match Linux_pair.difference t with
    | None -> ()
    | Some what ->
        let last = List.filteri (fun i _ -> i < 12) !past in
        raise
          (Differ
             (sprintf "event %d: %s\nafter, the last first:\n  %s" n what
                (String.concat "\n  " last)))
  in
  Linux_pair.set_system t (fun () -> Random.State.int Watch.chance 9);
  check 0;
  for n = 1 to events do
    past := Linux_pair.next Watch.chance t :: !past;
    check n
  done

let agree (name, text) () =
  let policy = Random_policy.policy text in
  let program = Linux_pair.build ~name policy in
  try
    List.iter (run ~threads:9 ~events:250 policy program) Trees.all;
    List.iter (run ~threads:2 ~events:60 policy program) Trees.all
  with Differ what -> Alcotest.failf "%s@.%s: %s" text name what

let read file = (file, In_channel.with_open_text file In_channel.input_all)

let number name default =
  Option.fold ~none:default ~some:int_of_string (Sys.getenv_opt name)

let random =
  List.init (number "DROMOS_POLICY_RANDOM" 40) (fun i ->
      let seed = number "DROMOS_POLICY_SEED" 1 + i in
      let name = sprintf "random_%d" seed in
      (name, Random_policy.text (Random.State.make [| seed |]) ~name))

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  let files = List.filter (String.ends_with ~suffix:".policy") files in
  Watch.suite "C for Linux" (fun () ->
      Alcotest.run ~and_exit:false
        ~argv:[| Sys.argv.(0) |]
        "C for Linux"
        [
          ( "agrees",
            List.map
              (fun ((name, _) as row) ->
                Watch.case (Filename.basename name) (agree row))
              (List.map read files @ random) );
        ])
