(* The safety net: how often the runtime stops the world. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let domains = 4

(* Run without cycles, and with a net that only shared bytes trigger
   (DROMOS_HEAP=w,g=64M), so stops are frequent. All domains find that a stop is due, and
   ask; one stop must serve all of them. So for each stop, as many bytes must have been
   shared as make a stop due. *)
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

(* Each local heap may hold twice its live bytes, or 8 MB: together more than twice the
   bytes that trigger a net of g=16M. Each domain must run a full collection of its own
   heap before the net stops the world. *)
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

(* A table made before the second domain is shared, and each object stored in the table is
   pinned: a few words between objects that die at once. No block fits into the gaps
   between the pinned words: the runtime must not take the gaps for free room, and put a
   collection off. *)
type row = {
  id : int;
  mutable last : int list;
  mutable text : string; [@warning "-69"]
}

let work_in table rows steps =
  for i = 1 to steps do
    let row = Hashtbl.find table (i * 7919 mod rows) in
    let last = match row.last with a :: b :: _ -> [ i; a; b ] | l -> i :: l in
    row.last <- last;
    if i land 3 = 0 then row.text <- string_of_int i;
    if i land 15 = 0 then Hashtbl.replace table row.id { row with last = [ i ] };
    ignore (Sys.opaque_identity (List.init 10 string_of_int))
  done

let gaps () =
  let rows = 10_000 in
  let table = Hashtbl.create rows in
  for id = 0 to rows - 1 do
    Hashtbl.replace table id { id; last = [ id ]; text = string_of_int id }
  done;
  let held =
    Beside.run (fun () ->
        work_in table rows (40 * rows);
        (now ()).most_held)
  in
  must (Printf.sprintf "%d bytes were held" held) (held < 23_000_000)

(* A fork hands over a large structure, and its heap is bulk-pinned. Objects stored in the
   structure before the join are pinned for the branch. A collection of the heap counts
   them as alive, but they must not count after the join. Everything dies there: the
   runtime frees the remains of each round between forks, with or without a further
   collection of the heap. *)
let forked stores () =
  let before = now () in
  let round t =
    let made = Array.init 40_000 (fun i -> ref (string_of_int i)) in
    let branch = Task.fork t (fun () -> Array.length made) in
    for k = 1 to stores do
      Array.iteri (fun i c -> c := string_of_int (k * i)) made
    done;
    must "no domain has it" (Task.withdraw t branch)
  in
  let after =
    Beside.run (fun () ->
        Task.run (fun t ->
            for _ = 1 to 30 do
              round t
            done);
        now ())
  in
  let held = after.most_held in
  must "the world goes on" (after.global.count = before.global.count);
  must (Printf.sprintf "%d bytes were held" held) (held < 64_000_000)

let () =
  match Sys.argv with
  | [| _; "forked" |] ->
      Check.case "the memory that forks put off is released" (forked 2);
      Check.case "objects pinned for forks do not count" (forked 14)
  | [| _; "gaps" |] -> Check.case "gaps between what is pinned" gaps
  | [| _; "leaves" |] ->
      Check.case "leaves look at their own before the net comes" own_garbage
  | _ -> Check.case "one stop of the world serves all requests" once_for_all
