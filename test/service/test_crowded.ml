(* The report when calls wait in the queue for calls that do not end:
   crowded.exe, whose standard input is closed after the report. *)

let read_all fd = In_channel.input_all (Unix.in_channel_of_descr fd)

(* Reads until a text with the given part. *)
let rec read_until part fd text =
  if Said.contains text part then text
  else
    let buffer = Bytes.create 4096 in
    match Unix.read fd buffer 0 4096 with
    | 0 -> Alcotest.failf "the end of stderr, after %S" text
    | n -> read_until part fd (text ^ Bytes.sub_string buffer 0 n)

let told ?(limits = "") ?(most = "") n parts () =
  let in_read, in_write = Unix.pipe ~cloexec:true () in
  let out_read, out_write = Unix.pipe ~cloexec:true () in
  let err_read, err_write = Unix.pipe ~cloexec:true () in
  let command =
    Printf.sprintf "%s DROMOS_BLOCKING_THREADS=%s exec ./crowded.exe %d" limits
      most n
  in
  let pid =
    Unix.create_process "/bin/sh" [| "sh"; "-c"; command |] in_read out_write
      err_write
  in
  List.iter Unix.close [ in_read; out_write; err_write ];
  let said = read_until "without a thread each.\n" err_read "" in
  Unix.close in_write;
  let rest = read_all err_read and out = read_all out_read in
  let _, status = Unix.waitpid [] pid in
  if status <> WEXITED 0 then Alcotest.failf "it failed: %s%s" said rest;
  Alcotest.(check string) "stdout" "all returned\n" out;
  Alcotest.(check string) "stderr says it once" "" rest;
  List.iter
    (fun part ->
      if not (Said.contains said part) then
        Alcotest.failf "no %S in %S" part said)
    parts

let suites =
  [
    ( "said",
      [
        Watch.case "the bound"
          (told ~most:"5" 8
             [ "all 5 threads"; "5 run, 3 wait"; "DROMOS_BLOCKING_THREADS=20" ]);
        (* Each stack takes 8 of the 3000 MB. *)
        Watch.case "the system's own"
          (told ~limits:"ulimit -s 8192; ulimit -v 3000000;" 450
             [ "the system refuses another thread"; "wait in line" ]);
      ] );
  ]

let () = Watch.suite "crowded" (fun () -> Alcotest.run "crowded" suites)
