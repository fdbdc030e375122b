open Types

(* The names ([held_for]) of the schedulers that were reported. Each is reported
   once, since a scheduler that loses a fiber loses many. *)
let told : string list Atomic.t = Atomic.make []

let rec is_news turn =
  let before = Atomic.get told in
  (not (List.mem turn before))
  && (Atomic.compare_and_set told before (turn :: before) || is_news turn)

let message { Info.fiber_id; fiber_name; held_for } =
  let name =
    if fiber_name = "" then ""
    else " " ^ Dromos_service.Message.quoted fiber_name
  in
  Printf.sprintf
    "dromos: fiber %d%s is lost: its handle was collected while the fiber \
     waited for %s. A scheduler must run each handle that it is given, or give \
     it on; now the fiber never ends, and its scope waits for it. (Told once \
     for each scheduler.)\n"
    fiber_id name held_for

let tell run holder =
  if
    holder.Info.held_for <> ""
    && (not (Atomic.get run.over))
    && is_news holder.held_for
  then Dromos_service.Message.tell Error Lost_fiber (message holder)

let look run = Array.iter (fun w -> Registry.look w.waiters) run.workers
