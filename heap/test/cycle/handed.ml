(* A C root is the only pointer to a value, and passes the value from one domain to a
   second domain. *)

external set_root : 'a -> unit = "set_root"
external get_root : unit -> 'a = "get_root"

(* The address of a root; for OCaml an integer. *)
type held = private int

external hold : string list -> held = "hold_in_root"
external take : held -> string list = "take_from_root"

let strings n = List.init n string_of_int

(* The giver collects while the second domain has the value and the root is already
   cleared. *)
let taken () =
  let step = Atomic.make 0 in
  let other () =
    Check.await step 1;
    let l : string list = get_root () in
    set_root ();
    Atomic.set step 2;
    Check.await step 3;
    Check.must "the taken value" (l = strings 10_000)
  in
  let other = Domain.spawn other in
  set_root (Sys.opaque_identity (strings 10_000));
  Atomic.set step 1;
  Check.await step 2;
  Check.repeat 3 (fun () -> Check.garbage 100_000);
  Atomic.set step 3;
  Domain.join other

(* Values travel there and back, many times, while cycles begin and end. *)
let there_and_back () =
  let none : held = Obj.magic 0 in
  let there = Atomic.make none and back = Atomic.make none in
  let rounds = 3_000 in
  let shared = Array.init 64 (fun _ -> Atomic.make []) in
  let rec next place =
    let held = Atomic.get place in
    if held = none then begin
      Domain.cpu_relax ();
      next place
    end
    else begin
      Atomic.set place none;
      take held
    end
  in
  let give place l = Atomic.set place (hold l) in
  let right l = Check.must "there and back" (l = strings 10) in
  let other () =
    Check.repeat rounds (fun () ->
        let l = next there in
        Check.garbage 20;
        right l;
        give back l)
  in
  let other = Domain.spawn other in
  give there (strings 10);
  for k = 1 to rounds do
    let l = next back in
    right l;
    Atomic.set shared.(k land 63) (List.init 50 (fun i -> i + k));
    if k < rounds then give there (if k land 7 = 0 then strings 10 else l)
  done;
  Domain.join other

let () =
  Check.case "an object that only C's root has" taken;
  Check.case "C's roots beside cycles" there_and_back
