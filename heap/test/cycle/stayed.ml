(* A full collection leaves objects in place, in a chunk whose pins have all expired, and
   gives them expired pins. A part of the objects was made after the scan. A fork that
   bulk-pins the heap pins the objects again, and they must live. *)

external scans : unit -> bool = "cycle_scans" [@@noalloc]
external hold_from_scan : unit -> bool = "hold_from_scan" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let cycles () = (Option.get (Dromos_heap.stats ())).cycles
let begin_ = Atomic.make false
let stop = Atomic.make false
let slots = Array.init 64 (fun _ -> Atomic.make [])

let other () =
  while not (Atomic.get begin_) do
    Domain.cpu_relax ()
  done;
  let k = ref 0 in
  while not (hold_from_scan ()) do
    incr k;
    Atomic.set slots.(!k land 63) (List.init 500 (fun i -> i + !k))
  done;
  while not (Atomic.get stop) do
    incr k;
    Atomic.set slots.(!k land 63) (List.init 500 (fun i -> i + !k))
  done

let rec numbers i n = if i = n then [] else i :: numbers (i + 1) n

(* Nearly fills a chunk with objects pinned until a join that has taken place. *)
let[@inline never] expired task =
  let l = Sys.opaque_identity (numbers 0 9_000) in
  let length () = Check.must "the list" (List.length l = 9_000) in
  Check.must "no domain has it" (Task.withdraw task (Task.fork task length))

let count = 500

let in_task task =
  let large = Sys.opaque_identity (Array.make 1 []) in
  Gc.minor ();
  expired task;
  Atomic.set begin_ true;
  while not (scans ()) do
    Domain.cpu_relax ()
  done;
  Domain.cpu_relax ();
  (* The heap is scanned. The following list is private and new. *)
  let mine = List.init count (fun i -> ref i) in
  large.(0) <- numbers 0 100_000;
  let code () = Check.must "large" (List.length large.(0) = 100_000) in
  let again = Task.fork task code in
  let before = cycles () in
  release ();
  while cycles () = before do
    Domain.cpu_relax ()
  done;
  Domain.cpu_relax ();
  Gc.minor ();
  ignore (Sys.opaque_identity (List.init 200_000 (fun i -> ref (-i))));
  Check.must "an object that stayed and was pinned again"
    (List.for_all2 (fun i r -> i = !r) (List.init count Fun.id) mine);
  Check.must "no domain has it" (Task.withdraw task again)

let () =
  Check.case "objects that a full collection leaves in place in a cycle"
  @@ fun () ->
  let other = Domain.spawn other in
  Task.run in_task;
  Atomic.set stop true;
  Domain.join other
