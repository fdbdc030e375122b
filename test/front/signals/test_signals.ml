(* Signals while a run waits, and exceptions of their handlers at random
   moments. DROMOS_SIGNAL_SOAK=10000 sets the number of strikes for each
   shape. *)

let seed = Random.State.bits Watch.chance land 0xffff

let strikes shape =
  let usual = match shape with "waiting" | "sleeping" -> 15 | _ -> 60 in
  match Sys.getenv_opt "DROMOS_SIGNAL_SOAK" with
  | Some text when text <> "" -> int_of_string text
  | Some _ | None -> usual

let lines command =
  let out = Unix.open_process_in command in
  let text = In_channel.input_all out in
  (String.split_on_char '\n' (String.trim text), Unix.close_process_in out)

let shape name =
  let times = strikes name in
  let limit = 60. +. (0.1 *. float_of_int times) in
  Watch.case ~limit name (fun () ->
      let command =
        Printf.sprintf "./strikes.exe %s %d %d" (Filename.quote name) times seed
      in
      let said, status = lines command in
      Watch.check
        Alcotest.(list string)
        (command ^ ": says") [ "ended as it should" ] said;
      Watch.check Alcotest.bool (command ^ ": its status") true
        (status = WEXITED 0))

(* {1 Ways to wait} *)

type child = { pid : int; out : in_channel }

let start way =
  let read, write = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process "./waiting.exe" [| "waiting.exe"; way |] Unix.stdin
      write Unix.stderr
  in
  Unix.close write;
  { pid; out = Unix.in_channel_of_descr read }

let expect child line =
  Watch.check Alcotest.string "the next line" line
    (Option.value ~default:"(the end)" (In_channel.input_line child.out))

(* With [asleep], lets all threads of the child fall asleep. *)
let interrupt ?(asleep = true) child =
  if asleep then Unix.sleepf 0.3;
  Unix.kill child.pid Sys.sigint

let ends child expected =
  let _, status = Unix.waitpid [] child.pid in
  close_in child.out;
  Watch.check Alcotest.bool "how the process ended" true (status = expected)

let once ?asleep name last =
  let child = start name in
  expect child "ready";
  interrupt ?asleep child;
  List.iter (expect child) last;
  ends child (WEXITED 0)

let way name last = Watch.case name (fun () -> once name [ last ])

(* Break, and then clean-up. *)
let cleans_up name = Watch.case name (fun () -> once name [ "Break"; "clean" ])

(* The signal comes while threads are born and fall asleep. *)
let at_once name last =
  Watch.case (name ^ ", at once") (fun () ->
      for _ = 1 to 12 do
        once ~asleep:false name last
      done)

let changes () =
  let child = start "changes" in
  List.iter (expect child)
    [ "ready"; "1"; "1"; "2"; "1"; "2"; "3"; "(the end)" ];
  ends child (WEXITED 0)

let stubborn () =
  let child = start "stubborn" in
  expect child "ready";
  interrupt child;
  expect child "cleaning up";
  interrupt child;
  ends child (WSIGNALED Sys.sigint)

let main () =
  Alcotest.run "signals"
    [
      ( "waiting",
        [
          way "idle" "Break";
          way "beside-thread" "Break";
          way "sleeps" "Break";
          way "one-worker" "Break";
          way "blocks" "Break";
          way "computes" "Break";
          way "called-by-thread" "Break";
          way "cancels" "cancelled";
          way "wakes" "woken";
          way "puts-back" "counted";
          way "outside-sleep" "Break";
          way "outside-await" "Break";
          way "outside-accept" "Break";
          way "outside-lock" "Break";
          way "outside-wakes" "woken";
          way "outside-goes-on" "counted";
          cleans_up "runtime-run";
          cleans_up "runtime-await";
          at_once "idle" [ "Break" ];
          at_once "sleeps" [ "Break" ];
          at_once "blocks" [ "Break" ];
          at_once "wakes" [ "woken" ];
          at_once "outside-sleep" [ "Break" ];
          at_once "outside-wakes" [ "woken" ];
          at_once "runtime-run" [ "Break"; "clean" ];
          at_once "runtime-await" [ "Break"; "clean" ];
          Watch.case "changes" changes;
          Watch.case "stubborn" stubborn;
        ] );
      ("strikes", List.map shape Shapes.names);
    ]

let () = Watch.suite "signals" main
