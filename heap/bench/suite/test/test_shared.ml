let () =
  let quickly = List.map (fun test -> QCheck_alcotest.to_alcotest test) in
  Alcotest.run "shared structures and programs"
    [
      ("linearizable", quickly Linearizable.tests);
      ("models", quickly Models.tests);
      ("stress", Stress.tests);
      ("graphs", Graphs.tests);
      ("triangulation", Triangulation.tests);
    ]
