(* Picos's IO in a run. *)

open Picos_io
open Picos_std_structured

let int = Watch.check Alcotest.int

let pair () =
  let a, b = Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0 in
  Unix.set_nonblock a;
  Unix.set_nonblock b;
  (a, b)

let read fd =
  let buffer = Bytes.create 8 in
  Unix.read fd buffer 0 8

let write fd = ignore (Unix.write fd (Bytes.make 8 'x') 0 8 : int)

let close (a, b) =
  Unix.close a;
  Unix.close b

let echo ~workers () =
  Dromos.run ~workers (fun () ->
      Run.all
        (List.init 20 (fun _ () ->
             let ((a, b) as both) = pair () in
             Flock.join_after (fun () ->
                 Flock.fork (fun () ->
                     for _ = 1 to 100 do
                       int "request" 8 (read a);
                       write a
                     done);
                 for _ = 1 to 100 do
                   write b;
                   int "answer" 8 (read b)
                 done);
             close both)))

(* Idle domains end, except the domain on which a fiber began to wait. *)
let long ~workers () =
  Dromos.run ~workers (fun () ->
      let pairs = List.init 16 (fun _ -> pair ()) in
      let got = Atomic.make 0 and where = Atomic.make [] in
      let note () =
        let here = (Domain.self () :> int) in
        let rec add () =
          let before = Atomic.get where in
          if
            (not (List.mem here before))
            && not (Atomic.compare_and_set where before (here :: before))
          then add ()
        in
        add ()
      in
      Flock.join_after (fun () ->
          List.iter
            (fun (a, _) ->
              Flock.fork (fun () ->
                  let until = Unix.gettimeofday () +. 0.01 in
                  while Unix.gettimeofday () < until do
                    Domain.cpu_relax ()
                  done;
                  note ();
                  ignore (Atomic.fetch_and_add got (read a) : int)))
            pairs;
          Dromos.sleep 0.8;
          List.iter (fun (_, b) -> write b) pairs);
      int "all" (16 * 8) (Atomic.get got);
      if workers > 1 && List.length (Atomic.get where) < 2 then
        print_endline "one domain did all";
      List.iter close pairs)

let cancelled ~workers () =
  Dromos.run ~workers (fun () ->
      let ((a, b) as both) = pair () in
      (match Dromos.timeout 0.02 (fun () -> read a) with
      | _ -> Alcotest.fail "read nothing"
      | exception Dromos.Timeout -> ());
      write b;
      int "afterwards" 8 (read a);
      close both)

let () =
  Watch.suite "picos_io" @@ fun () ->
  Picos_io_select.check_configured ();
  let case name f =
    Watch.case name (fun () ->
        List.iter (fun workers -> f ~workers ()) [ 1; 2; 4 ])
  in
  Alcotest.run "picos_io"
    [
      ( "sockets",
        [ case "echo" echo; case "a long wait" long; case "timeout" cancelled ]
      );
    ]
