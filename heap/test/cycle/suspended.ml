(* A continuation is private again, and a full collection leaves the continuation in place
   between holes. A cycle scans the continuation, then a fork that bulk-pins the heap pins
   it again. The whole continuation must live. *)

external scans : unit -> bool = "cycle_scans" [@@noalloc]
external hold_from_scan : unit -> bool = "hold_from_scan" [@@noalloc]
external release : unit -> unit = "release_cycle" [@@noalloc]

let cycles () = (Option.get (Dromos_heap.stats ())).cycles

open Effect
open Effect.Deep

type _ Effect.t += Wait : int Effect.t

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

let[@inline never] expired task =
  let l = Sys.opaque_identity (numbers 0 3_000) in
  let length () = Check.must "the list" (List.length l = 3_000) in
  Check.must "no domain has it" (Task.withdraw task (Task.fork task length))

type waiting = Waits of (int, waiting) continuation | Ended of int

let suspended i =
  match_with
    (fun () ->
      let l = numbers i (i + 10) in
      perform Wait + List.length l)
    ()
    {
      retc = (fun x -> Ended x);
      exnc = raise;
      effc =
        (fun (type a)
          (e : a Effect.t)
          :
          ((a, waiting) continuation -> waiting) option
        ->
          match e with
          | Wait -> Some (fun (k : (a, _) continuation) -> Waits k)
          | _ -> None);
    }

let in_task task =
  let large = Sys.opaque_identity (Array.make 1 []) in
  Gc.minor ();
  (* The parts lie in several chunks; the domain goes on to allocate in the first
     chunk. *)
  let part _ =
    expired task;
    List.init 4 suspended
  in
  let mine = List.concat (List.init 12 part) in
  (* The growth of the heap causes a full collection. *)
  large.(0) <- numbers 0 100_000;
  Task.expire task;
  Atomic.set begin_ true;
  while not (scans ()) do
    Domain.cpu_relax ()
  done;
  Domain.cpu_relax ();
  let code () = Check.must "large" (List.length large.(0) = 100_000) in
  let again = Task.fork task code in
  let before = cycles () in
  release ();
  while cycles () = before do
    Domain.cpu_relax ()
  done;
  Domain.cpu_relax ();
  Gc.minor ();
  ignore (Sys.opaque_identity (List.init 300_000 (fun i -> ref (-i))));
  let resume = function
    | Waits k -> (
        match continue k 7 with Ended n -> n = 17 | Waits _ -> false)
    | Ended _ -> false
  in
  Check.must "continuations" (List.for_all resume mine);
  Check.must "no domain has it" (Task.withdraw task again)

let () =
  Check.case "a continuation that is pinned again in a cycle" @@ fun () ->
  let other = Domain.spawn other in
  Task.run in_task;
  Atomic.set stop true;
  Domain.join other
