(* Reports in Logs: the level, text and tag of each, and disabled levels. *)

exception Boom

type logged = { level : Logs.level; text : string; failure : exn option }

let log = Atomic.make []

let rec add entry =
  let before = Atomic.get log in
  if not (Atomic.compare_and_set log before (entry :: before)) then add entry

let reporter =
  let report src level ~over k msgf =
    msgf (fun ?header:_ ?(tags = Logs.Tag.empty) fmt ->
        Format.kasprintf
          (fun text ->
            if Logs.Src.equal src Dromos_logs.src then begin
              let failure = Logs.Tag.find Dromos_logs.failure tags in
              add
                {
                  level;
                  text;
                  failure =
                    Option.map
                      (fun (f : Dromos.Reporter.failure) -> f.error)
                      failure;
                }
            end;
            over ();
            k ())
          fmt)
  in
  { Logs.report }

(* The log, and stderr, while [f] runs. *)
let during f =
  Atomic.set log [];
  let said = Said.on_stderr (fun _ -> f ()) in
  (List.rev (Atomic.get log), said)

let callback_fails () =
  Dromos.Promise.on_result (Dromos.Promise.return ()) (fun _ -> raise Boom)

let errors () =
  match during callback_fails with
  | [ { level = Error; text; failure = Some Boom } ], "" ->
      Alcotest.(check string)
        "first line"
        "a callback of Promise.on_result raised Dune__exe__Test_logs.Boom"
        (List.hd (String.split_on_char '\n' text))
  | _ -> Alcotest.fail "not one error"

let dumps () =
  match during (fun () -> Dromos.run (fun () -> Dromos.dump ())) with
  | [ { level = App; text; failure = None } ], "" ->
      Alcotest.(check bool)
        "text" true
        (String.starts_with ~prefix:"1 run" text)
  | _ -> Alcotest.fail "not one dump"

let deadlocks () =
  let stuck () =
    Dromos.run (fun () -> Dromos.await (Dromos.Promise.create ()))
  in
  let run () =
    match stuck () with () -> () | exception Dromos.Deadlock _ -> ()
  in
  match during run with
  | [ { level = Error; text; failure = None } ], "" ->
      Alcotest.(check bool) "text" true (Said.contains text "Promise")
  | _ -> Alcotest.fail "not one error"

let silent () =
  Logs.Src.set_level Dromos_logs.src None;
  let logged, said = during callback_fails in
  Logs.Src.set_level Dromos_logs.src (Some Logs.Warning);
  Alcotest.(check int) "logged" 0 (List.length logged);
  Alcotest.(check string) "stderr" "" said

let failing_reporter () =
  let report _ _ ~over:_ _ _ = failwith "no room" in
  Logs.set_reporter { Logs.report };
  let logged, said = during callback_fails in
  Logs.set_reporter reporter;
  Alcotest.(check int) "logged" 0 (List.length logged);
  List.iter
    (fun part -> Alcotest.(check bool) part true (Said.contains said part))
    [ "Boom"; "no room" ]

let () =
  Logs.set_reporter reporter;
  Dromos_logs.install ();
  let case = Watch.case in
  Watch.suite "logs" (fun () ->
      Alcotest.run ~and_exit:false "logs"
        [
          ( "reports",
            [
              case "errors" errors;
              case "dumps" dumps;
              case "deadlocks" deadlocks;
              case "a source that is silent" silent;
              case "a reporter that raises" failing_reporter;
            ] );
        ])
