(* Ready_queue, for scenarios, with all takers on one vproc. *)

type t = Core.fiber Ready_queue.t

let vprocs n =
  let vproc = Vproc.shared 0 in
  List.init n (fun _ -> vproc)

let create ?places:_ () = Ready_queue.create ()
let add = Ready_queue.add

let take t =
  match Ready_queue.take ~reason:"" t with
  | k -> Some k
  | exception Cancel.Cancelled -> None

let leave (_ : t) = ()
let room (_ : t) = true
let close t = Ready_queue.close t Core.release

let held (t : t) =
  t.oldest
  @
  match Atomic.get t.arrivals with
  | Items items -> items
  | Nothing_for _ | Closed _ -> []
