open Effect.Deep
open Types

let run worker fiber go x =
  let { local; _ } = worker in
  if fiber.worker != worker then fiber.worker <- worker;
  worker.slices <- worker.slices + 1;
  if worker.due > 0 then Quantum.next_piece worker;
  Local.runs local fiber;
  Hub_door.open_ local;
  Frame.enter_heap fiber;
  go x;
  Task_heap.enter Task_heap.none;
  Hub_door.close local;
  Local.runs_none local

let leave () =
  let local = Local.get () in
  let fiber = local.current in
  Local.runs_none local;
  fiber

(* {1 Heaps} *)

(* A fiber that leaves its heap publishes everything reachable from the stacks
   of the domain's threads. The fiber's fork frames must not be published. The
   worker therefore waits until the publisher thread (the companion) holds no
   frame of the fiber. The publisher thread cannot pick up new frames, because a
   fiber that is leaving has no frames left to offer. *)
let rec alone worker =
  if worker.local.reads_frames then begin
    Thread.yield ();
    alone worker
  end

let suspend fiber k =
  if Task_heap.keeps_frames then alone fiber.worker;
  Task_heap.suspend fiber.heap k

(* The branch's closure and its argument must stay private too: the frames are
   dropped, and the publisher thread is waited for, before the result is
   stored. *)
let end_in_heap fiber record result =
  Frame.drop_all fiber;
  alone fiber.worker;
  Task_heap.finish record result

(* {1 The handler of fibers} *)

type handler = {
  handle : 'b. 'b Effect.t -> (('b, unit) continuation -> unit) option;
}
[@@unboxed]

let tied = ref { handle = (fun _ -> None) }
let tie handler = tied := handler

let of_fibers : (unit, unit) Effect.Deep.handler =
  { retc = ignore; exnc = raise; effc = (fun eff -> !tied.handle eff) }

let handled f x = match_with f x of_fibers
