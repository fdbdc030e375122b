module Sched = Dromos.Sched

let contains = Said.contains
let lines text = String.split_on_char '\n' text

(* Expects a line with all parts. *)
let says text parts =
  let all line = List.for_all (contains line) parts in
  if not (List.exists all (lines text)) then
    Alcotest.failf "no line with %s in:\n%s" (String.concat ", " parts) text

(* {1 A process of its own} *)

let rec until file ok =
  let text = In_channel.with_open_bin file In_channel.input_all in
  if ok text then text
  else begin
    Unix.sleepf 0.02;
    until file ok
  end

let with_program mode f =
  let file suffix = Filename.temp_file "dump" suffix in
  let out_file = file ".out" and err_file = file ".err" in
  let opened name = Unix.openfile name [ O_WRONLY; O_CLOEXEC ] 0 in
  let out = opened out_file and err = opened err_file in
  let pid =
    Unix.create_process "./alone.exe" [| "./alone.exe"; mode |] Unix.stdin out
      err
  in
  Unix.close out;
  Unix.close err;
  Fun.protect
    (fun () ->
      ignore (until out_file (fun text -> contains text "ready") : string);
      f pid err_file)
    ~finally:(fun () ->
      Unix.kill pid Sys.sigkill;
      ignore (Unix.waitpid [] pid);
      Sys.remove out_file;
      Sys.remove err_file)

let asked mode check () =
  with_program mode @@ fun pid err_file ->
  Unix.sleepf 0.1;
  let ask n =
    Unix.kill pid Sys.sigquit;
    let dumps text =
      List.length
        (List.filter (String.starts_with ~prefix:"dromos: ") (lines text))
    in
    (* The hint comes last. *)
    until err_file (fun text ->
        dumps text >= n && String.ends_with ~suffix:"they wait.\n" text)
  in
  let text = ask 1 in
  says text [ "dromos: 1 run" ];
  check (says text);
  ignore (ask 2 : string);
  match Unix.waitpid [ WNOHANG ] pid with
  | 0, _ -> ()
  | _ -> Alcotest.fail "the program is over"

let in_both says =
  says [ "(first fiber of the run)"; "waits on sleep for" ];
  says [ {|"round robin"|}; "waits on Vproc.deq" ];
  says [ {|"inner scheduler"|}; "waits on inner's fibers"; "under round robin" ];
  says [ {|"reader"|}; "waits on"; "under inner, under round robin" ];
  says [ {|"kept"|}; "waits on its turn (inner)"; "under round robin" ];
  says [ {|"never started"|}; "waits on its start" ];
  says [ {|"sleeper"|}; "waits on sleep"; "under round robin" ];
  says [ {|"task"|}; "waits on sleep for" ]

let asleep says =
  in_both says;
  says [ "run on hub std, 1 vproc: 0 fibers running" ];
  says [ "vproc 0 sleeps" ]

let computing says =
  in_both says;
  says [ "2 vprocs: 1 fiber running" ];
  says [ {|"computes" runs on vproc|}; "under round robin" ]

(* {1 A dump of this process} *)

let text () =
  let file = Filename.temp_file "dump" ".txt" in
  Out_channel.with_open_bin file (fun out -> Dromos.dump ~out ());
  let text = In_channel.with_open_bin file In_channel.input_all in
  Sys.remove file;
  text

let outside () = says (text ()) [ "dromos: 0 runs" ]

let bounded () =
  let text =
    Dromos.run ~workers:1 (fun () ->
        let p = Dromos.Promise.create () in
        let started = ref 0 in
        let wait () =
          incr started;
          Dromos.await p
        in
        let tasks = List.init 10_000 (fun _ -> Dromos.async wait) in
        while !started < 10_000 do
          Dromos.yield ()
        done;
        let text = text () in
        Dromos.Promise.resolve p ();
        List.iter Dromos.await tasks;
        text)
  in
  says text [ "1 fiber running, 10000 in hand or waiting" ];
  says text [ "and 9800 fibers more" ];
  let n = List.length (lines text) in
  if n > 220 then Alcotest.failf "%d lines" n

(* Forks, waits, yields under two schedulers, runs that come and go. *)
let work () =
  let channel = Dromos.Channel.create () in
  let rec fib n =
    if n < 2 then n
    else
      let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
      a + b
  in
  Dromos.run ~workers:3 @@ fun () ->
  Sched.Round_robin.run @@ fun () ->
  Sched.Round_robin.run @@ fun () ->
  for i = 1 to 50 do
    Sched.Round_robin.spawn (fun () ->
        Dromos.Channel.send channel (fib (i mod 12)));
    Sched.Round_robin.spawn (fun () ->
        Sched.yield ();
        ignore (Dromos.Channel.recv channel : int);
        Sched.yield ())
  done

let under_load () =
  let over = Atomic.make false in
  let dumps = Atomic.make 0 in
  let loop () =
    while not (Atomic.get over) do
      ignore (text () : string);
      Atomic.incr dumps;
      Thread.delay 0.0005
    done
  in
  let thread = Thread.create loop () in
  Fun.protect
    (fun () ->
      while Atomic.get dumps < 200 do
        work ()
      done)
    ~finally:(fun () ->
      Atomic.set over true;
      Thread.join thread)

let () =
  let case = Watch.case ~limit:60. in
  Watch.suite "dump" @@ fun () ->
  Alcotest.run "dump"
    [
      ( "SIGQUIT",
        [
          case "all sleep" (asked "sleep" asleep);
          case "some compute" (asked "compute" computing);
        ] );
      ( "dump",
        [
          case "outside a run" outside;
          case "bounded" bounded;
          case "under load" under_load;
        ] );
    ]
