(* The age of a tick, over few ticks and over millions. *)

module Ticks = Dromos_fiber.Ticks

let ask n =
  for _ = 1 to n do
    Ticks.now ()
  done

(* [elapsed_since tick], after [n] further ticks and a hundredth of [n], is at
   most the time since the tick, and at least the time of the [n] last ticks. *)
let how_long n () =
  ask 3;
  let before = Ticks.clock () in
  let tick = Ticks.last () in
  ask (1 + (n / 100));
  let soon = Ticks.clock () in
  ask n;
  let after = Ticks.clock () in
  let said = Ticks.elapsed_since tick in
  let now = Ticks.clock () in
  if said > now - before || said < after - soon then
    Alcotest.failf "%d ns, not between %d and %d" said (after - soon)
      (now - before)

let young () =
  Ticks.now ();
  Alcotest.(check int) "no tick since" 0 (Ticks.elapsed_since (Ticks.last ()))

let () =
  let after n = Alcotest.test_case (string_of_int n) `Quick (how_long n) in
  Alcotest.run "ticks"
    [
      ("ticks", List.map after [ 1; 1000; 1100; 10_000; 100_000; 3_000_000 ]);
      ("none", [ Alcotest.test_case "young" `Quick young ]);
    ]
