(* Directives that are carried out late. *)

open Dromos_fiber

let action =
  {
    Types.action_name = "test";
    turn = "its turn";
    act = (fun _ -> Nobody.stop);
    ready_again = None;
  }

(* A directive is given up after it was made, as at the end of a deadlock, and the
   worker carries it out all the same: the fiber goes on once, at the root. *)
let given_up () =
  let goes_on = ref 0 in
  Dromos.run ~workers:1 (fun () ->
      Effect.perform
        (Handler.Capture
           (fun handle ->
             match Handle.claim handle with
             | Resumed | Superseded -> Alcotest.fail "resumed before"
             | Go go ->
                 let directive = Handle.run action handle.of_fiber go in
                 let given_up = Actions.give_up directive in
                 Alcotest.(check bool) "given up" true given_up;
                 Alcotest.(check bool) "once" false (Actions.give_up directive);
                 directive));
      incr goes_on);
  Alcotest.(check int) "goes on" 1 !goes_on

let () =
  Watch.suite "directives" (fun () ->
      Alcotest.run "directives"
        [ ("directives", [ Watch.case "given up" given_up ]) ])
