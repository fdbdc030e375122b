type 'a t = { deques : 'a Dynamic.t array }

let initial_capacity = 64

let create ~workers ~dummy =
  let make _ = Dynamic.create ~capacity:initial_capacity ~dummy in
  { deques = Array.init workers make }

let workers t = Array.length t.deques
let deque t i = Array.get t.deques i
let push t i v = Dynamic.push (deque t i) v
let pop t i = Dynamic.pop (deque t i)
let size t i = Dynamic.size (deque t i)
let is_empty t i = Dynamic.is_empty (deque t i)
let tick _ _ = ()
let block t i = Dynamic.sweep (deque t i)
let unblock _ _ = ()
let steal t ~thief:_ ~victim = Dynamic.steal (deque t victim)
let waits_for_answer _ _ = false
let withdraw _ _ = None
let may_have t i = not (is_empty t i)
