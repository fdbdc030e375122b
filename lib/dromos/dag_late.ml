type 'a state = Started | Nothing | After of 'a * 'a state
type 'a t = 'a state Atomic.t

let create () = Atomic.make Nothing

let rec add t k =
  match Atomic.get t with
  | Started -> false
  | seen -> Atomic.compare_and_set t seen (After (k, seen)) || add t k

let rec list = function
  | Started | Nothing -> []
  | After (k, rest) -> k :: list rest

let start t =
  if Atomic.compare_and_set t Nothing Started then []
  else list (Atomic.exchange t Nothing)

let started t =
  match Atomic.get t with Started -> true | Nothing | After _ -> false
