let () =
  Alcotest.run "trace"
    (By_hand.cases @ Lines.cases @ At_random.cases @ Recorded.cases
   @ Drawn.cases)
