(* A task ends while a cycle marks, so the end of its last fork unpins nothing. The
   bulk-pinned chunks then belong to the domain, and the domain collects them later. *)

let now () = Option.get (Dromos_heap.stats ())
let publish_until = Held.publish_until ~length:500

let in_task task =
  let large = Sys.opaque_identity (List.init 400_000 string_of_int) in
  let length () = Check.must "given" (List.length large = 400_000) in
  let branch = Task.fork task length in
  publish_until Held.is_held;
  Check.must "no domain has it" (Task.withdraw task branch)

let set_apart () =
  Task.run in_task;
  Check.must "the cycle goes on" (Held.is_held ());
  Held.release ();
  let before = now () in
  publish_until (fun () -> (now ()).cycles > before.cycles);
  let collected = (now ()).full.count in
  while (now ()).full.count < collected + 2 do
    Check.garbage 10_000
  done;
  let after = now () in
  Check.must "not by stopping the world"
    (after.global.count = before.global.count);
  Check.must "it is free again" (after.held < before.held / 2)

let () =
  Check.case "objects set apart at a task's end" (fun () ->
      Held.beside set_apart)
