(* Starts the scenarios of `ranks.exe` under mpirun, with two to four ranks and
   both ways of calling MPI. *)

(* The output of all ranks and of the launcher, and the status. *)
let mpirun ?(more = []) ?(program = "./ranks.exe") ~ranks arguments =
  let log = Filename.temp_file "ranks" ".log" in
  let out = Unix.openfile log [ O_WRONLY; O_TRUNC ] 0o600 in
  let pid =
    Unix.create_process_env "sh"
      (Array.of_list
         ([ "sh"; "mpirun.sh"; "-n"; string_of_int ranks; program ] @ arguments))
      (Array.append (Array.of_list more) (Unix.environment ()))
      Unix.stdin out out
  in
  Unix.close out;
  let status =
    match Unix.waitpid [] pid with
    | _, WEXITED status -> status
    | _, (WSIGNALED s | WSTOPPED s) -> Alcotest.failf "ended by signal %d" s
  in
  let said = In_channel.with_open_bin log In_channel.input_all in
  Sys.remove log;
  (status, said)

let right ?more ~ranks scenario () =
  let status, said = mpirun ?more ~ranks [ scenario ] in
  Alcotest.(check int) said 0 status;
  if not (Said.contains said "right") then Alcotest.fail said

(* All ranks end, with a message that contains the parts, and no process is
   left. *)
let ends scenario parts () =
  let began = Unix.gettimeofday () in
  let status, said = mpirun ~ranks:3 [ scenario ] in
  if status = 0 then Alcotest.failf "status 0:\n%s" said;
  List.iter
    (fun part ->
      if not (Said.contains said part) then
        Alcotest.failf "%S is not in:\n%s" part said)
    parts;
  Printf.printf "%.1f s\n" (Unix.gettimeofday () -. began)

(* The time of a second in which one task waits; a benchmark has the figure. *)
let cheap () =
  let status, said = mpirun ~ranks:2 [ "cheap" ] in
  Alcotest.(check int) said 0 status;
  print_string said

(* The figures of the corpus job are those of one process; rank 0 has compared
   them with a sequential pass too. *)
let corpus ~ranks () =
  let status, said =
    mpirun ~program:(Sys.getenv "CORPUS") ~ranks
      [ "--mpi"; "--json"; "--rounds"; "1"; "../../lib/service" ]
  in
  Alcotest.(check int) said 0 status;
  let from = String.index said '{' and until = String.rindex said '}' in
  let json =
    Yojson.Safe.from_string (String.sub said from (until - from + 1))
  in
  let member name = Yojson.Safe.Util.member name json in
  Alcotest.(check bool) "compared" true (member "differences" = `List []);
  match member "files" with `Int n when n > 10 -> () | _ -> Alcotest.fail said

(* mpirun's terminal is rank 0's. *)
let progress_line () =
  let log = Filename.temp_file "ranks" ".log" in
  let inside =
    Printf.sprintf
      "stty cols 100; sh mpirun.sh -n 2 %s --mpi --no-check ../../lib/service"
      (Filename.quote (Sys.getenv "CORPUS"))
  in
  let command =
    Printf.sprintf "TERM=xterm script -qec %s /dev/null > %s 2>&1 < /dev/null"
      (Filename.quote inside) (Filename.quote log)
  in
  let status = Sys.command command in
  let said = In_channel.with_open_bin log In_channel.input_all in
  Sys.remove log;
  Alcotest.(check int) said 0 status;
  List.iter
    (fun part -> if not (Said.contains said part) then Alcotest.fail said)
    [ "reading and counting   ["; "comparing files" ]

let corpus_without_files () =
  let status, said =
    mpirun ~program:(Sys.getenv "CORPUS") ~ranks:2 [ "--mpi"; "/no/such" ]
  in
  Alcotest.(check int) said 2 status;
  if not (Said.contains said "/no/such: No such file") then Alcotest.fail said

let one_thread = [ "DROMOS_MPI_THREADS=one" ]

let everywhere scenario =
  List.map
    (fun ranks ->
      Watch.case
        (Printf.sprintf "%s, %d ranks" scenario ranks)
        (right ~ranks scenario))
    [ 2; 4 ]
  @ [
      Watch.case
        (scenario ^ ", one thread")
        (right ~more:one_thread ~ranks:3 scenario);
    ]

let () =
  Watch.suite "mpi" (fun () ->
      Alcotest.run ~and_exit:false "mpi"
        [
          ( "messages",
            Watch.case "one rank" (right ~ranks:1 "itself")
            :: List.concat_map everywhere
                 [ "order"; "sizes"; "itself"; "closures"; "many" ] );
          ( "waits",
            Watch.case "cheap" cheap
            :: List.concat_map everywhere
                 [
                   "cancelled";
                   "leaving";
                   "chosen";
                   "probed";
                   "crowd";
                   "threads";
                 ] );
          ( "collective operations",
            List.concat_map everywhere
              [
                "collective";
                "long_broadcast";
                "unequal";
                "groups";
                "freed";
                "arrays";
                "refused";
              ] );
          ( "loops",
            List.concat_map everywhere
              [
                "loops";
                "chunks";
                "progress";
                "leftmost";
                "early";
                "broken";
                "given_up";
                "several";
                "within";
                "lame";
              ] );
          ( "corpus",
            [
              Watch.case "one rank" (corpus ~ranks:1);
              Watch.case "three ranks" (corpus ~ranks:3);
              Watch.case "no files" corpus_without_files;
              Watch.case "a progress line" progress_line;
            ] );
          ( "faults",
            [
              Watch.case "a rank raises"
                (ends "raising"
                   [ "rank 1 of 3"; "Failure(\"no more ideas\")"; "ranks.ml" ]);
              Watch.case "a rank exits"
                (ends "exiting" [ "rank 1 of 3"; "exit" ]);
              Watch.case "a rank is killed" (ends "killed" [ "signal 9" ]);
              Watch.case "a rank has no memory"
                (ends "no_memory" [ "rank 1 of 3"; "Out of memory" ]);
            ] );
        ])
