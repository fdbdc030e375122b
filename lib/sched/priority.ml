open Dromos_fiber
module By_id = Map.Make (Int)

type t = {
  ranked : Ranked.t;
  lending : Inheritance.t option;  (** [None]: priorities are not inherited *)
}

type known = {
  fibers : Core.fiber By_id.t;
      (** by identity: the fibers that had an identity when they were added. A
          fiber without an identity holds no lock *)
  count : int;  (** of [fibers] *)
  limit : int;  (** the count at which fibers that are over are taken out *)
}

let key = Level.new_key ()
let priority () = Option.value (Level.find key) ~default:0
let set_priority = Level.write key

(* Without ageing, the rank is the priority, reversed. With ageing, the rank is the
   number of the arrival, moved forward by [ageing] for each level. All ranks in the
   queue then age alike as new fibers arrive, so no rank needs to change. *)
let rank ageing ~arrival priority =
  match ageing with
  (* [-1 - priority], which exists for every priority. *)
  | None -> lnot priority
  | Some ageing -> Saturating.sub arrival (Saturating.mul priority ageing)

(* {1 Inheritance} *)

let is_over (k : Core.fiber) = Waiting.has_ended k.of_fiber
let nobody_known = { fibers = By_id.empty; count = 0; limit = 64 }

let with_fiber { fibers; count; limit } id k =
  let fibers = By_id.add id k fibers in
  if count < limit then { fibers; count = count + 1; limit }
  else
    let fibers = By_id.filter (fun _ k -> not (is_over k)) fibers in
    let count = By_id.cardinal fibers in
    { fibers; count; limit = Int.max nobody_known.limit (2 * count) }

let rec know known id k =
  let seen = Atomic.get known in
  if not (By_id.mem id seen.fibers) then
    if not (Atomic.compare_and_set known seen (with_fiber seen id k)) then
      know known id k

let arrives known k =
  let id = Inheritance.identity k in
  if id <> Dromos_sync.Author.Owner.nobody then know known id k

(* The priority that the fiber counts for: its own, or a greater priority lent. *)
let with_lent lending k own =
  let id = Inheritance.identity k in
  if id = Dromos_sync.Author.Owner.nobody then own
  else Option.fold (Inheritance.lent lending id) ~none:own ~some:(Int.max own)

(* Gives a known fiber its new rank after a change of the priority lent to it. A
   fiber that is not known is not in the queue, or has no lock: when the fiber
   is added next, the lent priority counts. *)
let settle_known ranked known id =
  match By_id.find_opt id (Atomic.get known).fibers with
  | None -> ()
  | Some k -> (
      match Level.of_fiber ~call:"Priority" key k with
      | level -> Ranked.settle ranked k level
      | exception Invalid_argument _ -> ())

(* {1 The scheduler} *)

let level_of_caller queue () =
  match Level.here key with
  | Some level when Level.is_under level queue -> Level.get level
  | Some _ | None -> min_int

let make ~ageing ~inherits =
  let queue = Shared_queue.create () in
  let rank = rank ageing in
  let ranked = Ranked.create ~name:"priority" ~key ~default:0 ~rank in
  if not inherits then { ranked = ranked queue; lending = None }
  else
    let known = Atomic.make nobody_known in
    let under lending =
      ranked queue ~read:(with_lent lending) ~arrives:(arrives known)
    in
    let changed lending = settle_known (under lending) known in
    let level = level_of_caller queue in
    let lending = Inheritance.create ~level ~changed in
    { ranked = under lending; lending = Some lending }

let run ?vprocs ?under ?ageing ?(inherits = true) f =
  Option.iter (Saturating.positive ~call:"Sched.Priority.run" "ageing") ageing;
  let t = make ~ageing ~inherits in
  let attach () = Ranked.run t.ranked ?vprocs ?under (fun () -> f t) in
  match t.lending with
  | None -> attach ()
  | Some lending -> Inheritance.run lending attach

let give t ?priority k =
  Ranked.give t.ranked ~call:"Priority.give" ?number:priority k

let spawn t ?name ~priority f =
  Ranked.spawn t.ranked ~call:"Priority.spawn" ?name ~number:priority f

let set_priority_of t k priority =
  let level = Level.of_fiber ~call:"Priority.set_priority_of" key k in
  Level.set level priority;
  let rec tell lending =
    let priority = Level.get level in
    Inheritance.set_level lending (Inheritance.identity k) priority;
    if Level.get level <> priority then tell lending
  in
  Option.iter tell t.lending;
  Ranked.settle t.ranked k level
