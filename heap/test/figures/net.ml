(* The safety net: how often the world is stopped. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let domains = 4

(* Run without cycles, and with a net that only what is shared brings (DROMOS_HEAP=w,g=64M):
   so it comes often. All of them find that it is due, and ask. What one has done the others do not do again:
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

(* Each domain's leaf may hold twice what lives, or 8 MB: together they hold more than twice
   what makes a net of g=16M due. They are collected in full, each by its domain. *)
let own_garbage () =
  let before = now () in
  Check.in_all (2 * domains) (fun _ () ->
      let kept = Array.make 64 [] in
      for k = 1 to 4_000 do
        kept.(k land 63) <- List.init 200 (fun i -> (k, i))
      done;
      ignore (Sys.opaque_identity kept));
  let after = now () in
  must "leaves are collected" (after.full.count > before.full.count);
  must "the world goes on" (after.global.count = before.global.count)

let () =
  match Sys.argv with
  | [| _; "leaves" |] ->
      Check.case "leaves look at their own before the net comes" own_garbage
  | _ -> Check.case "one stop of the world serves all who asked" once_for_all
