open Fiber

(* By what the fibers waited for: a scheduler that loses one loses many. *)
let told : string list Atomic.t = Atomic.make []

let rec is_news turn =
  let before = Atomic.get told in
  (not (List.mem turn before))
  && (Atomic.compare_and_set told before (turn :: before) || is_news turn)

let tell id name turn =
  let name = if name = "" then "" else Printf.sprintf " %S" name in
  Dromos_service.Message.print
    (Printf.sprintf
       "dromos: fiber %d%s is lost: its handle was collected while the fiber \
        waited for %s. Whoever is given a handle runs it, or gives it on; now \
        the fiber never ends, and its scope waits for it. (Told once for each \
        scheduler.)\n"
       id name turn)

(* The function must not lead to the fiber. *)
let watch fiber =
  let id = Fiber.id fiber and { name; hands; _ } = fiber.info in
  let run = fiber.worker.run in
  Gc.finalise_last
    (fun () ->
      let turn = hands.held_for in
      if turn <> "" && (not (Atomic.get run.over)) && is_news turn then
        tell id name turn)
    fiber
