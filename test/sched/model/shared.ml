(* Shared_queue, for scenarios. *)

type t = Shared_queue.t

let vprocs n = List.init n Vproc.make
let create = Shared_queue.create
let add t (k : Core.fiber) = Shared_queue.add t ~rank:k.rank k

let take t =
  match Shared_queue.run_next t ignore with
  | Core.Ran k -> Some k
  | Stopped -> None

let leave = Shared_queue.leave
let room (t : t) = (Atomic.get t.state).places > 0
let close = Shared_queue.close
let set_rank = Shared_queue.set_rank
let rank = Shared_queue.rank

(* The number of fibers with a changed rank. *)
let reranked (t : t) =
  Shared_queue.By_arrival.cardinal (Atomic.get t.state).reranked

let held (t : t) =
  let fibers = (Atomic.get t.state).fibers in
  List.map snd (Shared_queue.By_rank.bindings fibers)
