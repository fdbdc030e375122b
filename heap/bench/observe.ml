let () = Heap_bench.Observe.main (List.tl (Array.to_list Sys.argv))
