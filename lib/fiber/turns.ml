type t = {
  mutable woken : int;
      (* fibers woken into the deque since a fiber last went to the injector *)
  mutable made : int;
      (* new tasks in the deque since a task last went to the injector *)
  mutable gave_way : int;
      (* new tasks sent to the injector since the worker last rested *)
  mutable look_at : int;
      (* the number of slices at the next look at the clock *)
  mutable looked : int; (* the clock at the last look around; nanoseconds *)
}

type deques = No_deques | Public | Private

(* [look_at]: a short run does not look around. *)
let create () = { woken = 0; made = 0; gave_way = 0; look_at = 64; looked = 0 }

(* A prime, as the hubs' period (Central): a program that makes tasks in a
   regular pattern seldom repeats with the same period. *)
let period = 61

let steps_back t deques (reason : Dromos_hub.Hub.reason) =
  match reason with
  | Yield | Preempt -> false
  | Unblock ->
      t.woken <- t.woken + 1;
      let far = t.woken >= period in
      if far then t.woken <- 0;
      far
  | New when deques = No_deques -> false
  | New ->
      t.made <- t.made + 1;
      let far = t.made >= period * (t.gave_way + 1) in
      if far then begin
        t.made <- 0;
        t.gave_way <- t.gave_way + 1
      end;
      far

let next_steps_back t = t.woken <- period

let reason_back (reason : Dromos_hub.Hub.reason) : Dromos_hub.Hub.reason =
  match reason with New -> Yield | Unblock | Yield | Preempt -> reason

let rested t = t.gave_way <- 0
let slices_between_looks = 64
let nanoseconds_between_looks = 10_000_000

let time_to_look t ~slices =
  slices >= t.look_at
  && begin
       t.look_at <- slices + slices_between_looks;
       let now = Ticks.clock () in
       Ticks.at now;
       let due = now - t.looked >= nanoseconds_between_looks in
       if due then t.looked <- now;
       due
     end
