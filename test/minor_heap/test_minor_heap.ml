let main () =
  Alcotest.run "minor heaps"
    [ ("sizes", Sizes.cases); ("figures", Figures.cases) ]

let () = Watch.suite "minor heaps" main
