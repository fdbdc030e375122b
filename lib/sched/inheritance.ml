open Dromos_sync.Author

type t = {
  level : unit -> int;
  changed : t -> Owner.t -> unit;
  graph : Lending.t Atomic.t;
}

let create ~level ~changed =
  let level =
    Guarded.or_told level ~default:min_int ~what:(fun () ->
        "The level of a register of Sched.Inheritance")
  and changed t id =
    Guarded.or_told (changed t) id ~default:() ~what:(fun () ->
        "The changed of a register of Sched.Inheritance")
  in
  { level; changed; graph = Atomic.make_contended Lending.empty }

let lent t id = Lending.lent (Atomic.get t.graph) id

let rec update t change =
  let seen = Atomic.get t.graph in
  let next, changed = change seen in
  if Atomic.compare_and_set t.graph seen next then
    List.iter (t.changed t) changed
  else update t change

(* Corrects the graph if its holder of the lock is out of date. An owner writes its
   name with a plain write, and then the graph. A name read after the caller's write
   of the graph is therefore up to date; or the next owner will write the graph
   after the caller, and will find the caller's change there. *)
let rec confirm t id =
  match Lending.holder (Atomic.get t.graph) id with
  | Some (holder, lock) when lock.owner () <> holder ->
      update t (fun graph -> Lending.look graph id);
      confirm t id
  | Some _ | None -> ()

let set_level t id level =
  if id <> Owner.nobody then
    update t (fun graph -> Lending.level graph id level)

(* The level may change before the graph has the task: read the level again. *)
let rec confirm_level t id level =
  let now = t.level () in
  if now <> level then begin
    set_level t id now;
    confirm_level t id now
  end

let waits t id lock =
  let level = t.level () in
  update t (fun graph -> Lending.wait graph id ~level lock);
  confirm_level t id level;
  confirm t id

let run t f =
  Dromos_service.Stack_room.ensure 4;
  let stop =
    Lock_watch.watch
      {
        waits = waits t;
        stands = (fun id _ -> confirm t id);
        leaves = (fun id _ -> update t (fun graph -> Lending.leave graph id));
        frees = (fun id lock -> update t (fun g -> Lending.free g id lock));
        taken = (fun lock -> update t (fun graph -> Lending.take graph lock));
      }
  in
  Fun.protect ~finally:stop f

let identity (k : Core.fiber) = k.of_fiber.self_id
