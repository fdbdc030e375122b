(* Functions of Gc.finalise_last are called, also where a value had expired when a cycle took
   those of what is dead, and the fork whose collection ended it pinned that again. Found by
   the model: the sweep freed it, and its heap went on to look where it had been. *)

let cycles () = (Option.get (Dromos_heap.stats ())).cycles
let count = 2_000
let called = ref 0
let withdraw task t = Check.must "nobody has it" (Task.withdraw task t)

let between_holes i =
  ignore (Sys.opaque_identity (Array.make 30 i));
  ref i

(* Of what a deeper fork has set apart, to which values are added, nothing expires before
   the next fork. *)
let leave_dead task large =
  let cell = ref [] in
  let code () = ignore (Sys.opaque_identity (large, cell)) in
  let first = Task.fork task ignore in
  let second = Task.fork task code in
  cell := List.init count between_holes;
  List.iter (Gc.finalise_last (fun () -> incr called)) !cell;
  cell := [];
  withdraw task second;
  withdraw task first

let slot = Atomic.make []

let share () =
  for k = 0 to 200 do
    Atomic.set slot (List.init 1_000 (fun i -> i + k))
  done

let in_task task =
  let large = List.init 100_000 string_of_int in
  let code () = ignore (Sys.opaque_identity large) in
  Gc.minor ();
  share ();
  leave_dead task large;
  let before = cycles () in
  let again = Task.fork task code in
  Check.must "a cycle" (cycles () > before);
  Gc.minor ();
  withdraw task again

let () =
  Check.case "Gc.finalise_last of what was pinned again" @@ fun () ->
  let task = Task.make ~several:true in
  Task.enter task;
  in_task task;
  Task.finish task ();
  (Task.join Task.none task : unit);
  Gc.full_major ();
  Gc.full_major ();
  Check.must "all have been called" (!called = count)
