let () = Heap_suite.Check.main ~runtime:Sys.argv.(1)
