(* Structures come and go, and forks hand them over, in two situations in which a join
   unpins nothing: below the deepest fork with a depth of its own, and in a heap with
   forks out of order. Cycles have to free the structures. *)

external marks : unit -> bool = "cycle_marks" [@@noalloc]

let size = 20_000

type cell = { at : int; mutable text : string }

(* Makes no further structure during a cycle, however long the cycle takes. The cycle
   proceeds at collections. *)
let wait_for_cycle () =
  while marks () do
    Check.garbage 1_000
  done

let structure task =
  let cells = Array.init size (fun at -> { at; text = string_of_int at }) in
  for round = 0 to 3 do
    Task.fork_here task (fun () ->
        for i = 100 * round to (100 * round) + 99 do
          cells.(i).text <- string_of_int cells.(i).at
        done)
  done;
  Array.iter
    (fun c -> Check.must "a cell's text" (int_of_string c.text = c.at))
    cells;
  wait_for_cycle ()

let below depth =
  Task.run (fun task ->
      let forks = List.init depth (fun _ -> Task.fork task ignore) in
      Check.repeat 100 (fun () -> structure task);
      let withdraw t = Check.must "no domain has it" (Task.withdraw task t) in
      List.iter withdraw (List.rev forks))

(* Ends a task while a fork is open; a second task joins the branch. *)
let out_of_order () =
  let a = Task.make ~several:false in
  Task.enter a;
  let branch = Task.fork a ignore in
  Task.finish a ();
  (Task.join Task.none a : unit);
  Check.must "no domain has it" (Task.withdraw Task.none branch)

let disordered () =
  out_of_order ();
  Check.repeat 100 (fun () -> Task.run structure)

(* Without cycles each case holds more than 100 MB. *)
let in_bounds f () =
  f ();
  let held = (Option.get (Dromos_heap.stats ())).most_held in
  Check.must (Printf.sprintf "%d bytes were held" held) (held < 80 lsl 20)

let () =
  let stop = Atomic.make 0 in
  let other = Domain.spawn (fun () -> Check.await stop 1) in
  Check.case "forks below the deepest" (in_bounds (fun () -> below 70));
  Check.case "forks out of order" (in_bounds disordered);
  Atomic.set stop 1;
  Domain.join other
