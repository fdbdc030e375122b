open Types

let[@inline] is_nil frame = frame == Nobody.nil

let[@inline] push fiber cell code =
  let fork = { code; cell; prev = fiber.frames.top } in
  fiber.frames.top <- Frame fork;
  fork

let[@inline never] unlink fiber fork =
  let rec linked frame =
    frame == Frame fork
    || (not (is_nil frame))
       &&
       let (Frame { prev; _ }) = frame in
       linked prev
  in
  if linked fiber.frames.top then fiber.frames.top <- fork.prev

let[@inline] pop fiber fork =
  if fiber.frames.top == Frame fork then fiber.frames.top <- fork.prev
  else unlink fiber fork

let[@inline] back_to fiber frame = fiber.frames.top <- frame

(* {1 Heaps of tasks} *)

external cell : Task_heap.t -> frames = "dromos_task_heap_cell" [@@noalloc]

(* No poll point lies between the test and the stores. *)
let[@inline never] enter_own_heap fiber =
  Task_heap.enter fiber.heap;
  if Task_heap.has_heap fiber.heap then begin
    let private_ = cell fiber.heap in
    if fiber.frames != private_ then begin
      private_.top <- fiber.frames.top;
      fiber.frames <- private_
    end
  end

let[@inline] enter_heap fiber =
  if Task_heap.keeps_frames then enter_own_heap fiber

let drop_all fiber = fiber.frames <- Nobody.no_frames
let ended fiber = fiber.frames == Nobody.no_frames
