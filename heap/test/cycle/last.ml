(* The functions of Gc.finalise_last are called, also in a rare case. The pin of a value
   has expired when a cycle takes the functions of dead values; a fork's collection ends
   the cycle, and the fork pins the value again. The model found the fault: the sweep
   freed the value, and its heap then read the freed memory. *)

let cycles () = (Option.get (Dromos_heap.stats ())).cycles
let count = 2_000
let called = ref 0
let withdraw task t = Check.must "no domain has it" (Task.withdraw task t)

let between_holes i =
  ignore (Sys.opaque_identity (Array.make 30 i));
  ref i

(* The values are added to a structure that a deeper fork has bulk-pinned, so their pins
   do not expire before the next fork. *)
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
