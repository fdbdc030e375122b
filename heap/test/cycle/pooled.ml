(* A scanned domain gives chunks to the pool, and an unscanned domain takes the chunks.
   The later scan must cover the objects in the chunks, and keep everything that only
   those objects reach. *)

external marks : unit -> bool = "cycle_marks" [@@noalloc]
external is_held : unit -> bool = "cycle_is_held" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]
external wait : unit -> unit = "wait_for_holder" [@@noalloc]
external arrays : int list array -> int list array array = "arrays_in_cycle"

let many = 1_500
let cell = Atomic.make []
let slots = Array.init 4_096 (fun _ -> Atomic.make [])
let numbers i = List.init 5 (( + ) i)

let list i =
  let l = numbers i in
  Atomic.set cell l;
  Atomic.set cell [];
  l

let rec relax_while f =
  if f () then begin
    Domain.cpu_relax ();
    relax_while f
  end

(* The lists must not be made while a cycle marks: such lists would live as long as the
   cycle. *)
let rec made () =
  relax_while marks;
  let lists = Array.init many list in
  if marks () then made () else lists

(* The arrays are the only pointers to the lists. *)
let rec held_alone lists =
  match arrays lists with
  | [||] ->
      Domain.cpu_relax ();
      held_alone lists
  | all -> all

let ended = Atomic.make false

let holder () =
  let all = held_alone (made ()) in
  relax_while marks;
  ignore (Sys.opaque_identity (List.init 50_000 string_of_int));
  let keeps i a = Array.for_all (( = ) (numbers i)) a in
  Check.must "lists that only the arrays hold"
    (Array.for_all Fun.id (Array.mapi keeps all));
  Atomic.set ended true

let publish k = Atomic.set slots.(k land 4_095) [ k ]

(* Leaves a few live words in each chunk; the rest of the chunk dies. *)
let give_to_pool k =
  for k = k to k + 2_000 do
    Check.garbage 100;
    publish k
  done

let rec share k =
  Check.garbage 100;
  publish k;
  wait ();
  if is_held () then begin
    give_to_pool k;
    release ()
  end;
  if not (Atomic.get ended) then share (k + 1)

let pooled () =
  let other = Domain.spawn holder in
  share 0;
  Domain.join other

let () = Check.case "a domain takes from the pool before its scan" pooled
