(* Progress, and Control-C: [Sys.catch_break] turns the signal into an
   exception, which cancels all tasks of the run. The program sends itself the
   signal when half of the work is done. *)

let items = 10
let finished = Atomic.make 0
let half = Dromos.Latch.create (items / 2)

let item i =
  if i >= items / 2 then Dromos.sleep 3600.;
  Atomic.incr finished;
  Dromos.Latch.count_down half

let strike () =
  Dromos.Latch.wait half;
  Printf.printf "%d of %d are finished\n%!" (Atomic.get finished) items;
  Unix.kill (Unix.getpid ()) Sys.sigint

let () =
  Sys.catch_break true;
  let work () = Dromos.Tasks.iter item (List.init items Fun.id) in
  match Dromos.run (fun () -> Dromos.both work strike) with
  | _ -> print_endline "all is done"
  | exception Sys.Break -> print_endline "stopped"
