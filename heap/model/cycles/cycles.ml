include Search.Make (struct
  type rules = Rules.t
  type scenario = Scenario.t
  type state = State.t

  let initial = Scenario.initial
  let next = Step.next
  let canonical = Canonical.state
  let key = Canonical.key
  let broken = Invariant.broken
  let at_rest = Invariant.at_rest
end)
