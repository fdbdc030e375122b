(* Calls that cannot work say so, and what to do. *)

open Lwt.Syntax

let contains = Said.contains

let refused f words =
  match f () with
  | _ -> Alcotest.fail "not refused"
  | exception Dromos.Misplaced text ->
      List.iter
        (fun word ->
          Watch.check Alcotest.bool
            (text ^ ": " ^ word)
            true (contains text word))
        words

let no_loop () =
  refused
    (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return_unit))
    [ "Dromos_lwt.in_lwt"; "no Lwt loop runs"; "with_loop" ];
  refused
    (fun () -> Dromos_lwt.await Lwt.return_unit)
    [ "Dromos_lwt.await"; "no Lwt loop runs" ];
  Dromos.run ~workers:1 (fun () ->
      refused
        (fun () -> ignore (Dromos_lwt.offload ignore))
        [ "Dromos_lwt.offload"; "no Lwt loop is known"; "Dromos_lwt.run" ])

let wrong_thread () =
  Dromos_lwt.run (fun () ->
      let* () =
        Dromos_lwt.offload (fun () ->
            List.iter
              (fun (name, f) -> refused f [ name; "thread"; "in_lwt" ])
              [
                ( "Dromos_lwt.offload",
                  fun () -> ignore (Dromos_lwt.offload ignore) );
                ("Dromos_lwt.fiber", fun () -> ignore (Dromos_lwt.fiber ignore));
                ( "Dromos_lwt.sync",
                  fun () ->
                    ignore (Dromos_lwt.sync (Dromos_sync.Event.always ())) );
              ])
      in
      (* A systhread of Lwt's own domain is another thread all the same. *)
      Lwt_preemptive.detach
        (fun () ->
          refused
            (fun () -> ignore (Dromos_lwt.offload ignore))
            [ "Dromos_lwt.offload"; "thread" ])
        ())

let would_block () =
  Dromos_lwt.run (fun () ->
      refused
        (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return_unit))
        [ "Dromos_lwt.in_lwt"; "would block"; "fiber" ];
      refused
        (fun () -> Dromos_lwt.await (Lwt.pause ()))
        [ "Dromos_lwt.await"; "would block" ];
      refused (fun () -> Dromos.run ignore) [ "Lwt"; "dromos-lwt" ];
      Lwt.return_unit)

let two_loops () =
  Dromos_lwt.run (fun () ->
      refused
        (fun () -> Dromos_lwt.run Lwt.return)
        [ "Dromos_lwt.run"; "runs already" ];
      refused (fun () -> Dromos_lwt.with_loop ignore) [ "runs already" ];
      let* () =
        Dromos_lwt.offload (fun () ->
            refused (fun () -> Dromos_lwt.with_loop ignore) [ "runs already" ])
      in
      Lwt.return_unit);
  Lwt_main.run
    (let* () = Lwt.pause () in
     refused (fun () -> Dromos_lwt.run Lwt.return) [ "inside Lwt_main.run" ];
     Lwt.return_unit);
  Dromos_lwt.with_loop (fun () ->
      refused (fun () -> Dromos_lwt.run Lwt.return) [ "runs already" ];
      (* And the first one is unharmed. *)
      Dromos_lwt.in_lwt (fun () -> Lwt_unix.sleep 0.001))

(* Those who still wait when the loop ends are told. *)
let the_end () =
  let waiting = Atomic.make 0 in
  let waiter =
    Dromos_lwt.run (fun () ->
        let waiter =
          Domain.spawn (fun () ->
              refused
                (fun () ->
                  Dromos_lwt.in_lwt (fun () ->
                      Atomic.incr waiting;
                      fst (Lwt.wait ())))
                [ "ended" ])
        in
        let rec until () =
          if Atomic.get waiting > 0 then Lwt.return waiter
          else Lwt.bind (Lwt.pause ()) until
        in
        until ())
  in
  Domain.join waiter;
  refused (fun () -> Dromos_lwt.in_lwt Lwt.return) [ "no Lwt loop runs" ]

let cases =
  let case = Watch.case in
  [
    case "no loop" no_loop;
    case "the wrong thread" wrong_thread;
    case "would block the loop" would_block;
    case "two loops" two_loops;
    case "the end of the loop" the_end;
  ]
