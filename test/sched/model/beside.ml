(* Sleepers beside a stack, as Stealing has sleepers beside its deques; for
   scenarios. *)

type t = { items : Core.fiber list Atomic.t; sleepers : Sleepers.t }

let vprocs n = List.init n Vproc.make

let create ?places:_ () =
  { items = Atomic.make []; sleepers = Sleepers.create () }

let rec push t k =
  let seen = Atomic.get t.items in
  if not (Atomic.compare_and_set t.items seen (k :: seen)) then push t k

let rec pop t =
  match Atomic.get t.items with
  | [] -> None
  | k :: others as seen ->
      if Atomic.compare_and_set t.items seen others then Some k else pop t

let add t k =
  push t k;
  Sleepers.wake_one t.sleepers

let rec take t =
  match pop t with
  | Some k -> Some k
  | None -> (
      let unless () = Atomic.get t.items <> [] in
      match Sleepers.sleep t.sleepers ~reason:"" ~unless with
      | () -> take t
      | exception Cancel.Cancelled -> None)

let leave (_ : t) = ()
let room (_ : t) = true
let close (_ : t) = ()
let held t = Atomic.get t.items
