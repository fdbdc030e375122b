(* A continuation that a fork has bulk-pinned ([apart]) is published just when its domain
   has answered the last request for marked objects (the stage MARK of cycle.c).
   The stack was made after the domain's scan, and no domain will scan the stack any more.
   The whole stack must count as marked, or the sweep would free a part. *)

open Effect.Deep

external scans : unit -> bool = "cycle_scans" [@@noalloc]
external hold_from_scan : unit -> bool = "hold_from_scan" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]
external asks : unit -> int = "cycle_asks" [@@noalloc]
external hold_answer : unit -> unit = "hold_answer" [@@noalloc]
external let_answer : int -> unit = "let_answer" [@@noalloc]

let cycles () = (Option.get (Dromos_heap.stats ())).cycles
let begin_ = Atomic.make false
let slots = Array.init 64 (fun _ -> Atomic.make [])

let rec until condition =
  if not (condition ()) then begin
    Domain.cpu_relax ();
    until condition
  end

let other () =
  let k = ref 0 in
  until (fun () -> Atomic.get begin_);
  until (fun () ->
      incr k;
      Atomic.set slots.(!k land 63) (List.init 500 (fun i -> i + !k));
      hold_from_scan ());
  until (fun () ->
      hold_answer ();
      cycles () > 0)

(* Makes a chunk with a few objects pinned for good. *)
let known = Array.init 64 (fun i -> Atomic.make (ref i))

let make_holes () =
  for i = 0 to 63 do
    Check.garbage 50;
    Atomic.set known.(i) (ref i)
  done;
  Gc.minor ()

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

let count = 100
let all_known = Array.init count (fun i -> Atomic.make (Ended i))

(* Publishes one more continuation at each MARK request, and only then lets the second
   domain answer. The main domain has answered by then, since it drives the cycle. Either
   it asks again afterwards, or the request was the last one: the case under test. *)
let make_known waiting =
  let next = ref 0 and last = ref 0 in
  let one () =
    Atomic.set all_known.(!next) waiting.(!next);
    incr next
  in
  one ();
  release ();
  until (fun () ->
      let now = asks () in
      if now = 0 then Gc.minor ()
      else if now <> !last then begin
        last := now;
        one ();
        Domain.cpu_relax ();
        let_answer now
      end;
      cycles () > 0);
  Check.must "they were enough" (!next < count)

let in_task task =
  let large = Sys.opaque_identity (List.init 100_000 Fun.id) in
  make_holes ();
  Atomic.set begin_ true;
  until scans;
  Domain.cpu_relax ();
  let waiting = Array.init count wait in
  let given = Sys.opaque_identity (waiting, large) in
  let again = Task.fork task (fun () -> ignore (Sys.opaque_identity given)) in
  make_known waiting;
  Gc.minor ();
  Check.must "no domain has it" (Task.withdraw task again);
  Check.garbage 100_000;
  Check.must "continuations" (Array.for_all Fun.id (Array.mapi ends waiting))

let () =
  Check.case "a continuation that is made known when a cycle ends" @@ fun () ->
  let other = Domain.spawn other in
  Task.run in_task;
  Domain.join other
