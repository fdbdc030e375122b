open Dromos_sync
open Party

exception Failed

let first together =
  times 20 (fun _ ->
      let a = Promise.create () and b = Promise.create () in
      let c = Promise.create () in
      let wait () =
        let v =
          Event.select
            [ Promise.await_event a; Promise.await_event b; Event.never ]
        in
        ensure "either" (v = 1 || v = 2);
        match Event.sync (Promise.await_event c) with
        | () -> Alcotest.fail "a value"
        | exception Failed -> ()
      in
      let fail () = Promise.fail c Failed (Printexc.get_callstack 0) in
      together
        [
          wait;
          wait;
          (fun () -> Promise.resolve a 1);
          (fun () -> Promise.resolve b 2);
          fail;
        ];
      ensure "awaited" (Promise.is_awaited c))

(* The awaited task needs the choice's other branch. *)
let task_in_a_choice () =
  Dromos.run ~workers:1 (fun () ->
      let c = Channel.create () in
      let p =
        Dromos.async (fun () ->
            Channel.send c 1;
            2)
      in
      let choose () =
        Event.select [ Promise.await_event p; Channel.recv_event c ]
      in
      equal "the message" 1 (choose ());
      equal "the result" 2 (choose ());
      let slow =
        Dromos.async (fun () ->
            Dromos.sleep 0.02;
            3)
      in
      let soon = Event.within 0.001 (Promise.await_event slow) in
      ensure "late" (Event.sync soon = None);
      equal "awaited" 3 (Dromos.await slow))

let cases =
  cases "first of two" first
  @ [ Watch.case "a task in a choice" task_in_a_choice ]
