(* A task ends while a cycle marks, and so nothing of its last fork expires: what was set
   apart for that is the domain's own then, which collects it later. *)

external hold_in_cycle : unit -> bool = "hold_in_cycle" [@@noalloc]
external is_held : unit -> bool = "cycle_is_held" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let now () = Option.get (Dromos_heap.stats ())
let slots = Array.init 64 (fun _ -> Atomic.make [])

let rec publish_until f k =
  Atomic.set slots.(k land 63) (List.init 500 (fun i -> i + k));
  if not (f ()) then publish_until f (k + 1)

let in_task task =
  let large = Sys.opaque_identity (List.init 400_000 string_of_int) in
  let length () = Check.must "given" (List.length large = 400_000) in
  let branch = Task.fork task length in
  publish_until is_held 0;
  Check.must "nobody has it" (Task.withdraw task branch)

let set_apart () =
  let stop = Atomic.make false in
  let rec other () =
    if not (hold_in_cycle ()) then begin
      Domain.cpu_relax ();
      other ()
    end
    else
      while not (Atomic.get stop) do
        Domain.cpu_relax ()
      done
  in
  let other = Domain.spawn other in
  Task.run in_task;
  Check.must "the cycle goes on" (is_held ());
  release ();
  let before = now () in
  publish_until (fun () -> (now ()).cycles > before.cycles) 0;
  let collected = (now ()).full.count in
  while (now ()).full.count < collected + 2 do
    Check.garbage 10_000
  done;
  let after = now () in
  Check.must "not by stopping the world"
    (after.global.count = before.global.count);
  Check.must "it is free again" (after.held < before.held / 2);
  Atomic.set stop true;
  Domain.join other

let () = Check.case "what is set apart at a task's end" set_apart
