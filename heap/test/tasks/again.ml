(* A task's forks hand over one large structure again and again, and change the structure.
   A later fork must pin only the new parts, and replaced parts must be freed. *)

let size = 50_000
let forks = 200
let stats () = Option.get (Dromos_heap.stats ())

type cell = { at : int; mutable text : string }

let look cells =
  Array.iter
    (fun c -> Check.must "a cell's text" (int_of_string c.text = c.at))
    cells

let fork_over task cells round =
  Task.fork_here task (fun () ->
      for i = 0 to 99 do
        let cell = cells.(((round * 100) + i) mod size) in
        cell.text <- string_of_int cell.at
      done)

let again task =
  let cells = Array.init size (fun at -> { at; text = string_of_int at }) in
  fork_over task cells 0;
  let before = stats () in
  for round = 1 to forks do
    Check.garbage 2_000;
    fork_over task cells round
  done;
  look cells;
  let after = stats () in
  let taken = after.handed - before.handed in
  Check.must
    (Printf.sprintf "%d bytes were taken along by %d forks" taken forks)
    (taken < forks * 64 * 1024);
  after.most_held

let () =
  let stop = Atomic.make 0 in
  let other = Domain.spawn (fun () -> Check.await stop 1) in
  let most = ref 0 in
  Check.case "a structure that is handed over again and again" (fun () ->
      Task.run (fun task -> most := again task));
  Check.case "its replaced value is given back" (fun () ->
      Task.run (fun task ->
          for _ = 1 to 8 do
            ignore (again task : int)
          done;
          let held = (stats ()).most_held in
          Check.must
            (Printf.sprintf "%d bytes were held, and %d before" held !most)
            (held < 5 * !most)));
  Atomic.set stop 1;
  Domain.join other
