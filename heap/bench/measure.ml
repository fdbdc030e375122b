let () = Heap_suite.Measure.main ()
