(* A ready fiber has its turn, despite two fibers that wake each other for ever:
   those are always the newest tasks of their worker, and a worker runs its
   newest task first. *)

let rounds = 100_000

(* The fiber of [first] wakes the third fiber before the game begins. The third
   fiber therefore lies below [first] and [second] in the deque. *)
let third_of_three () =
  let go = Dromos.Promise.create () and its_turn = ref false in
  let there = Dromos.Channel.create () and back = Dromos.Channel.create () in
  let third () =
    Dromos.await go;
    its_turn := true
  in
  let rec second () =
    if Dromos.Channel.recv there then begin
      Dromos.Channel.send back ();
      second ()
    end
  in
  let rec first left =
    let goes_on = left > 0 && not !its_turn in
    Dromos.Channel.send there goes_on;
    if goes_on then begin
      Dromos.Channel.recv back;
      first (left - 1)
    end
  in
  Dromos.Scope.run (fun scope ->
      Dromos.Scope.fork scope third;
      Dromos.Scope.fork scope second;
      Dromos.yield ();
      Dromos.Promise.resolve go ();
      first rounds;
      Watch.check Alcotest.bool "the third one has had its turn" true !its_turn)

let case hub =
  Watch.case (Dromos.Hub.name hub) (fun () ->
      Dromos.run ~workers:1 ~hub third_of_three)

let cases = List.map case Dromos.Hub.all
