(* Dead objects make room wherever they lie: the runtime fills holes before it takes more
   memory, and filled holes count towards the next cycle. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let mebi = 1 lsl 20
let list k = List.init 2_000 (fun i -> (k, i))

let share slot times =
  for k = 1 to times do
    Atomic.set slot (list k)
  done;
  Atomic.set slot []

(* A task shares 10 MB, drops them, and waits for its join. No domain collects the heap of
   a waiting task; cycles free all of the 10 MB (s=12M). *)
let of_who_waits () =
  Beside.run (fun () ->
      let slot = Atomic.make [] and t = Task.make ~several:false in
      Task.enter t;
      share slot 110;
      Gc.minor ();
      Task.finish t ();
      let pinned = (now ()).pinned and cycles = (now ()).cycles in
      must "it is there still" (pinned > 9 * mebi);
      while (now ()).cycles = cycles do
        share slot 1;
        Gc.minor ()
      done;
      Gc.minor ();
      must "it has gone" ((now ()).pinned < 8 * mebi);
      (Task.join Task.none t : unit))

let slots = Array.init 64 (fun k -> Atomic.make (ref k))

(* Without cycles. A few words of each chunk are pinned; arrays fit between them. *)
let for_arrays () =
  Beside.run (fun () ->
      for k = 1 to 20_000 do
        if k land 7 = 0 then Atomic.set slots.(k / 8 land 63) (ref k);
        ignore (Sys.opaque_identity (Array.make 1_000 k))
      done;
      must "arrays go into holes" ((now ()).most_held < 40 * mebi))

(* A branch may read its sibling's stores until the join. A part of each chunk lives until
   then. *)
let until_the_join () =
  Beside.run (fun () ->
      Task.run (fun t ->
          let slot = Atomic.make [] in
          let kept = Atomic.make [] in
          let branch =
            Task.fork t (fun () -> (Atomic.get slot, Atomic.get kept))
          in
          for k = 1 to 2_000 do
            Atomic.set slot (list k);
            Atomic.set kept (k :: Atomic.get kept)
          done;
          must "no domain has it" (Task.withdraw t branch)));
  let s = now () in
  must "cycles have run" (s.cycles > 8);
  must "holes are filled once a cycle" (s.most_held < 32 * mebi)

let () =
  match Sys.argv.(1) with
  | "waits" -> Check.case "dead objects of a waiting task" of_who_waits
  | "arrays" -> Check.case "holes serve arrays too" for_arrays
  | _ -> Check.case "objects that fill holes count" until_the_join
