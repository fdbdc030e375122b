open Fiber

(* A prime, as the hubs' own period (Central): programs have periods of their
   own. *)
let period = 61

let steps_back { turns; run; _ } (reason : Dromos_hub.Hub.reason) =
  match reason with
  | Yield | Preempt -> false
  | Unblock ->
      turns.woken <- turns.woken + 1;
      let far = turns.woken >= period in
      if far then turns.woken <- 0;
      far
  | New when run.deques = No_deques -> false
  | New ->
      turns.made <- turns.made + 1;
      let far = turns.made >= period * (turns.gave_way + 1) in
      if far then begin
        turns.made <- 0;
        turns.gave_way <- turns.gave_way + 1
      end;
      far

let next_steps_back { turns; _ } = turns.woken <- period

let reason_back (reason : Dromos_hub.Hub.reason) : Dromos_hub.Hub.reason =
  match reason with New -> Yield | Unblock | Yield | Preempt -> reason

let rested { turns; _ } = turns.gave_way <- 0
let patience = 60

(* At a fiber's first yield, or after a yield on another worker, [others] means
   nothing, and may be negative. Each yield sets [yielded_at] anew, so the error
   does not last. *)
let yields fiber =
  let { slices; _ } = fiber.worker in
  let others = slices - fiber.yielded_at - 1 in
  fiber.yielded_at <- slices;
  fiber.yields <- fiber.yields + 1;
  let due = fiber.yields > patience && fiber.yields > 4 * others in
  if due then fiber.yields <- 0;
  due

let slices_between_looks = 64
let nanoseconds_between_looks = 10_000_000

let time_to_look ({ turns; _ } as worker) =
  worker.slices >= turns.look_at
  && begin
       turns.look_at <- worker.slices + slices_between_looks;
       let now = Ticks.clock () in
       Ticks.at now;
       let due = now - turns.looked >= nanoseconds_between_looks in
       if due then turns.looked <- now;
       due
     end
