let push stack item =
  let seen = Atomic.get stack in
  Atomic.compare_and_set stack seen (item :: seen)
