(* The safety net. Run without cycles, and with a net that only what is shared brings
   (DROMOS_HEAP=w,g=64M): so it comes often. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let domains = 4

(* All of them find that it is due, and ask. What one has done the others do not do again:
   each time as much had been shared as makes it due. *)
let once_for_all () =
  let before = now () in
  let slots = Array.init domains (fun _ -> Atomic.make []) in
  Check.in_all domains (fun me () ->
      for k = 1 to 150 do
        Atomic.set slots.(me) (List.init 20_000 (fun i -> (k, i)))
      done);
  let after = now () in
  let stops = after.global.count - before.global.count in
  must "it comes" (stops > 0);
  must "once for all" (stops <= (after.entangled - before.entangled) lsr 24)

let () = Check.case "one stop of the world serves all who asked" once_for_all
