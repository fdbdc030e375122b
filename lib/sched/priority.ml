open Dromos_fiber
module By_id = Map.Make (Int)

type t = {
  queue : Shared_queue.t;
  ageing : int option;
  lending : Inheritance.t option;  (** [None]: priorities are not inherited *)
  known : known Atomic.t;
}

and known = {
  fibers : Core.fiber By_id.t;
      (** by identity: fibers that may hold a lock and have been added since *)
  count : int;  (** of [fibers] *)
  limit : int;  (** the count at which fibers that are over are taken out *)
}

let key = Level.new_key ()
let priority () = Option.value (Level.find key) ~default:0
let set_priority = Level.write key

(* Without ageing, the rank is the priority, reversed. With ageing, the rank is the
   number of the arrival, moved forward by [ageing] for each level. All ranks in the
   queue then age alike as new fibers arrive, so no rank needs to change. *)
let rank t ~arrival priority =
  match t.ageing with
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

let rec know t id k =
  let seen = Atomic.get t.known in
  if not (By_id.mem id seen.fibers) then
    if not (Atomic.compare_and_set t.known seen (with_fiber seen id k)) then
      know t id k

(* The priority that the fiber counts for: its own, or a greater priority lent. *)
let read t k level () =
  let own = Level.get level in
  match t.lending with
  | None -> own
  | Some lending -> (
      match Inheritance.identity k with
      | 0 -> own
      | id ->
          Option.fold
            (Inheritance.lent lending id)
            ~none:own ~some:(Int.max own))

let settle t k level =
  Level.settle t.queue k ~read:(read t k level) ~rank:(rank t)

(* Gives a known fiber its new rank after a change of the priority lent to it. A
   fiber that is not known has not been added since it could hold a lock: its next
   [add] finds the lent priority. *)
let settle_known t id =
  match By_id.find_opt id (Atomic.get t.known).fibers with
  | None -> ()
  | Some k -> (
      match Level.of_fiber ~call:"Priority" key k with
      | level -> settle t k level
      | exception Invalid_argument _ -> ())

(* {1 The scheduler} *)

let add t k =
  let level = Level.own key k ~under:t.queue ~default:0 in
  (match t.lending with
  | None -> ()
  | Some _ ->
      let id = Inheritance.identity k in
      if id <> Dromos_sync.Author.Owner.nobody then know t id k);
  Level.line_up t.queue k ~read:(read t k level) ~rank:(rank t)

let rec action t () =
  Core.action ~name:"priority" ~ready:(add t) (function
    | Stop -> next t
    | Preempt k ->
        add t k;
        Core.atomic_yield ();
        next t)

and next t = Shared_queue.run_next t.queue (action t)

let level_of_caller queue () =
  match Level.here key with
  | Some level when Level.is_under level queue -> Level.get level
  | Some _ | None -> min_int

let make ~ageing ~inherits =
  let queue = Shared_queue.create () and known = Atomic.make nobody_known in
  let scheduler lending = { queue; ageing; lending; known } in
  if not inherits then scheduler None
  else
    let changed lending id = settle_known (scheduler (Some lending)) id in
    let level = level_of_caller queue in
    scheduler (Some (Inheritance.create ~level ~changed))

let run ?vprocs ?under ?ageing ?(inherits = true) f =
  Option.iter (Saturating.positive ~call:"Sched.Priority.run" "ageing") ageing;
  let t = make ~ageing ~inherits in
  let attach () =
    Shared_queue.attach ~name:"priority" ?vprocs ?under ~give:(add t) t.queue
      (fun () -> next t)
      (fun () -> f t)
  in
  match t.lending with
  | None -> attach ()
  | Some lending -> Inheritance.run lending attach

let give t ?priority k =
  Shared_queue.check_fiber ~call:"Priority.give" t.queue k;
  Option.iter (Level.give key k) priority;
  add t k

let spawn t ?name ~priority f =
  Shared_queue.check ~call:"Priority.spawn" t.queue;
  give t ~priority (Core.fiber ?name f)

let set_priority_of t k priority =
  let level = Level.of_fiber ~call:"Priority.set_priority_of" key k in
  Level.set level priority;
  let rec tell lending =
    let priority = Level.get level in
    Inheritance.set_level lending (Inheritance.identity k) priority;
    if Level.get level <> priority then tell lending
  in
  Option.iter tell t.lending;
  settle t k level
