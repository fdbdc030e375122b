module Hub = Dromos_hub.Hub

type 'ctx thread = 'ctx Hub.task
type policy = int

let known = Atomic.make 0
let policy () = Atomic.fetch_and_add known 1

(* The machine's words. [slept_at]: the time at which the thread fell asleep.
   [left_over]: the nanoseconds of sleep not yet counted in an attribute. *)
let policy_at = 0
let state_at = 1
let core_at = 2
let load_at = 3
let slept_at = 4
let left_over = 5

(* 0: in the policy; 1: leaves at the next wait; 2: has left. *)
let away_at = 6
let own = 7
let nowhere = -1

let begin_well policy words =
  Array.length words >= own
  && Array.sub words 0 own = [| policy; nowhere; -1; 0; 0; 0; 0 |]

let there (t : _ thread) = Array.length t.attrs > 0
let same (a : _ thread) (b : _ thread) = a.attrs == b.attrs
let state (t : _ thread) = t.attrs.(state_at)
let set_state (t : _ thread) v = t.attrs.(state_at) <- v
let core (t : _ thread) = t.attrs.(core_at)
let set_core (t : _ thread) v = t.attrs.(core_at) <- v
let load (t : _ thread) = t.attrs.(load_at)
let set_load (t : _ thread) v = t.attrs.(load_at) <- v
let get (t : _ thread) k = t.attrs.(own + k)
let set (t : _ thread) k v = t.attrs.(own + k) <- v
let tick = 10_000_000
let now () = Int64.to_int (Mtime_clock.elapsed_ns ())
let falls_asleep (t : _ thread) = t.attrs.(slept_at) <- now ()

let wakes (t : _ thread) k =
  let slept = now () - t.attrs.(slept_at) + t.attrs.(left_over) in
  t.attrs.(left_over) <- slept mod tick;
  set t k (slept / tick)

let leaving (t : _ thread) = t.attrs.(away_at) = 1
let left (t : _ thread) = t.attrs.(away_at) <- 2
let is_away (t : _ thread) = t.attrs.(away_at) = 2
let back (t : _ thread) = t.attrs.(away_at) <- 0

let own_task policy name =
  let task = (Dromos_fiber.Misplaced.fiber name).task in
  if there task && task.attrs.(policy_at) = policy then task
  else invalid_arg (name ^ ": the hub of this run is another")

let wants_to_leave (t : _ thread) = t.attrs.(away_at) <- 1
let leaves policy name = wants_to_leave (own_task policy name)
let set_own policy name k v = set (own_task policy name) k v
