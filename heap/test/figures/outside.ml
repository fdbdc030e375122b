(* Memory outside the heap that blocks own: the influence on the collections of a large
   heap, and the memory held after the blocks' death, shared or private. *)

let stats () = Option.get (Dromos_heap.stats ())

let array length i =
  let a = Bigarray.(Array1.create float64 c_layout length) in
  Bigarray.Array1.fill a (float i);
  a

let whole (a : (float, _, _) Bigarray.Array1.t) i = a.{0} = float i

(* Blocks of 800 KB, beside 80 MB of live objects: no single block is worth a full
   collection. *)
let beside_much () =
  let live = Sys.opaque_identity (Array.init 1_500_000 (fun i -> ref i)) in
  let before = (stats ()).full.count in
  for i = 1 to 1_000 do
    Check.must "its own" (whole (array 100_000 i) i)
  done;
  let full = (stats ()).full.count - before in
  Check.must (Printf.sprintf "%d full collections" full) (full < 100);
  Check.must "live objects" (Array.for_all (fun r -> !r >= 0) live)

(* Blocks of 16 KB that survive young collections, and die afterwards. *)
let in_turn () =
  let ring = Array.init 200 (array 2_000) in
  for i = 0 to 20_000 do
    let k = i mod 200 in
    Check.must "whole" (whole ring.(k) (if i < 200 then i else i - 200));
    ring.(k) <- array 2_000 i;
    Check.garbage 10
  done

(* Blocks pass from one domain to a second domain, a few at a time. *)
let handed_over () =
  let slots = Array.init 64 (fun _ -> Atomic.make None) in
  let rec put slot v =
    if Atomic.get slot <> None then begin
      Check.garbage 10;
      put slot v
    end
    else Atomic.set slot (Some v)
  in
  let rec take slot =
    match Atomic.exchange slot None with
    | Some a -> a
    | None ->
        Check.garbage 10;
        take slot
  in
  let n = 20_000 in
  let each f =
    for i = 1 to n do
      f slots.(i land 63) i
    done
  in
  let other =
    Domain.spawn (fun () -> each (fun slot i -> put slot (array 2_000 i)))
  in
  each (fun slot i -> Check.must "whole" (whole (take slot) i));
  Domain.join other

(* The blocks take 320 MB together. *)
let in_bounds f () =
  f ();
  let most = Check.kib "VmHWM" in
  Check.must (Printf.sprintf "%d KiB at most" most) (most < 200 * 1024)

let () =
  Check.case "outside: objects that die in turn" (in_bounds in_turn);
  Check.case "outside: objects that are handed over" (in_bounds handed_over);
  Check.case "outside: beside much that lives" beside_much
