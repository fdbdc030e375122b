(* Gang_queue, for scenarios. *)

type t = Core.fiber Gang_queue.t

let vprocs n = List.init n Vproc.make
let gone (_ : Core.fiber) = false

let suits (k : Core.fiber) vproc =
  match k.only_on with None -> true | Some id -> id = Vproc.id vproc

let create ?places:_ () = Gang_queue.create ~gone ~suits ()
let add = Gang_queue.add

let take t =
  match Gang_queue.take ~reason:"" t with
  | k -> Some k
  | exception Cancel.Cancelled -> None

let leave (_ : t) = ()
let room (_ : t) = true
let close t = Gang_queue.close t Core.release

let held (t : t) =
  match Atomic.get t.state with
  | Closed _ -> []
  | Open { items; _ } ->
      let all = ref [] in
      Line.iter ~gone (fun k -> all := k :: !all) items;
      !all
