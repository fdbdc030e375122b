(* A fork bulk-pins a heap, and an object of a pinned chunk then gets a longer pin. The
   object was made after the scan, in holes where the scan has marked dead objects. All of
   the object must be marked, or the sweep would free a part. *)

open Effect.Deep

external scans : unit -> bool = "cycle_scans" [@@noalloc]
external hold_from_scan : unit -> bool = "hold_from_scan" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let cycles () = (Option.get (Dromos_heap.stats ())).cycles
let begin_ = Atomic.make false
let stop = Atomic.make false
let slots = Array.init 64 (fun _ -> Atomic.make [])

let rec until condition =
  if not (condition ()) then begin
    Domain.cpu_relax ();
    until condition
  end

let other () =
  let k = ref 0 in
  let share () =
    incr k;
    Atomic.set slots.(!k land 63) (List.init 500 (fun i -> i + !k))
  in
  until (fun () -> Atomic.get begin_);
  until (fun () ->
      share ();
      hold_from_scan ());
  until (fun () ->
      share ();
      Atomic.get stop)

let count = 3_000
let known = Array.init 64 (fun i -> Atomic.make (ref i))

(* Makes a chunk with a few objects pinned for good. *)
let make_holes () =
  for i = 0 to 63 do
    Check.garbage 50;
    Atomic.set known.(i) (ref i)
  done;
  Gc.minor ()

(* Fills the holes so that the scan marks every fourth pair of words. *)
let[@inline never] what_goes () =
  let refs = Array.make count (ref 0) in
  for i = 0 to count - 1 do
    refs.(i) <- ref i;
    ignore (Sys.opaque_identity (i, i, i, i, i))
  done;
  refs

type _ Effect.t += Wait : int Effect.t
type waiting = Waits of (int, waiting) continuation | Ended of int

let wait i =
  let retc n = Ended n and exnc = raise in
  let effc : type a. a Effect.t -> ((a, waiting) continuation -> waiting) option
      = function
    | Wait -> Some (fun (k : (a, _) continuation) -> Waits k)
    | _ -> None
  in
  match_with (fun () -> Effect.perform Wait + i) () { retc; exnc; effc }

let ends i = function
  | Waits k -> continue k 1 = Ended (i + 1)
  | Ended _ -> false

let six i = (i, i, i, i, i, i)
let make i = (six i, wait i)

let right i (numbers, waiting) =
  Check.must "an object pinned for longer" (numbers = six i && ends i waiting)

let all_known = Atomic.make [||]

let in_task task =
  let large = Sys.opaque_identity (List.init 100_000 Fun.id) in
  make_holes ();
  let refs = what_goes () in
  Atomic.set begin_ true;
  until scans;
  Domain.cpu_relax ();
  Gc.minor ();
  let made = Array.init count make in
  let given = Sys.opaque_identity (made, large) in
  let again = Task.fork task (fun () -> ignore (Sys.opaque_identity given)) in
  Atomic.set all_known made;
  let before = cycles () in
  release ();
  until (fun () -> cycles () > before);
  Domain.cpu_relax ();
  Gc.minor ();
  Check.must "no domain has it" (Task.withdraw task again);
  Check.garbage 100_000;
  Check.must "a freed object" (refs.(17) = ref 17);
  Array.iteri right made

let () =
  Check.case "objects pinned for longer in a cycle" @@ fun () ->
  let other = Domain.spawn other in
  Task.run in_task;
  Atomic.set stop true;
  Domain.join other
