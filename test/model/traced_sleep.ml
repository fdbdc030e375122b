(* [Traced], with a mutex and a condition that are right by definition and cost
   no steps: for scenarios with more threads than [Traced] can explore. The code
   under test must have two properties: it does nothing between its last atomic
   access under the mutex and its wait; and it signals after an atomic write
   visible to that access. Test and wait are then a single step, and no signal
   can come between. *)

include Traced

module Mutex = struct
  type t = unit

  let create () = ()
  let lock () = ()
  let unlock () = ()
end

module Condition = struct
  type t = { mutable sleepers : sleeper list }

  let create () = { sleepers = [] }

  let wait c () =
    let sleeper = { woken = false } in
    c.sleepers <- sleeper :: c.sleepers;
    Effect.perform (Sleep sleeper)

  let signal c =
    match c.sleepers with
    | [] -> ()
    | sleeper :: others ->
        c.sleepers <- others;
        sleeper.woken <- true
end
