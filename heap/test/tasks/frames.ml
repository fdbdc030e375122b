(* The publisher thread of a worker (its companion) may hold fork frames of a fiber on
   its stack. When the fiber leaves its heap, everything reachable from that stack is
   published. So a leaving fiber waits until the publisher thread has dropped the
   frames. *)

module Types = Dromos_fiber.Types

(* A thread plays the publisher thread. The fiber may continue on a second domain. *)
let reading leave =
  let local = Dromos_fiber.Local.get () in
  local.Types.reads_frames <- true;
  let read () =
    Thread.delay 0.02;
    local.reads_frames <- false
  in
  let reader = Thread.create read () in
  leave ();
  (local, reader)

let over what (local, reader) =
  Check.must what (not local.Types.reads_frames);
  Thread.join reader

let yields () = over "a fiber that yields" (reading Dromos.yield)

let suspends () =
  let go_on = function
    | None -> ()
    | Some resume -> ignore (resume (Ok ()) : bool)
  in
  let waiting = Atomic.make None in
  let wait () =
    Dromos_suspend.suspend (fun resume ->
        Atomic.set waiting (Some resume);
        None)
  in
  let release () =
    while Option.is_none (Atomic.get waiting) do
      Dromos.yield ()
    done;
    go_on (Atomic.get waiting)
  in
  Dromos.Scope.run (fun scope ->
      Dromos.Scope.fork scope release;
      over "a fiber that waits" (reading wait))

(* The second worker takes the branch, and the branch ends there. *)
let ends () =
  let begun = Atomic.make false in
  let first () =
    while not (Atomic.get begun) do
      Domain.cpu_relax ()
    done
  and second () =
    Atomic.set begun true;
    reading ignore
  in
  over "a fiber that ends" (snd (Dromos.both first second))

let () =
  let case what f = Check.case what (fun () -> Dromos.run ~workers:2 f) in
  case "frames in a companion's hands: a fiber yields" yields;
  case "frames in a companion's hands: a fiber waits" suspends;
  case "frames in a companion's hands: a fiber ends" ends
