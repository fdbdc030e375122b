type kit = {
  run : 'a. (unit -> 'a) -> 'a;
  together : (unit -> unit) list -> unit;
  yield : unit -> unit;
}

let share n parties i = (n / parties) + if i < n mod parties then 1 else 0

(* Every fiber has a counter of its own, since threads may switch at any place.
   No fiber begins to count before all fibers are there: a lone thread would
   yield to no other thread. *)
let switch kit ~n ~cutoff:fibers () =
  let counts = Array.make fibers 0 in
  let begun = Atomic.make 0 in
  let fiber i () =
    Atomic.incr begun;
    while Atomic.get begun < fibers do
      kit.yield ()
    done;
    for _ = 1 to share n fibers i do
      kit.yield ();
      counts.(i) <- counts.(i) + 1
    done
  in
  kit.run (fun () -> kit.together (List.init fibers fiber));
  fun () -> Array.fold_left ( + ) 0 counts

let spawn kit ~n ~cutoff:batch () =
  let counts = Array.make batch 0 in
  let fiber i () = counts.(i) <- counts.(i) + 1 in
  kit.run (fun () ->
      for _ = 1 to n / batch do
        kit.together (List.init batch fiber)
      done);
  fun () -> Array.fold_left ( + ) 0 counts

let jobs kit = [ ("sched_switch", switch kit); ("sched_spawn", spawn kit) ]

let contestant name about jobs =
  {
    Bench_core.Contestant.name;
    about;
    parallel = false;
    start = (fun ~workers:_ -> { jobs; probes = []; stop = ignore });
  }
