open Dromos_sync.Author
module By_id = Map.Make (Int)
module Ids = Set.Make (Int)

module Waiters = Set.Make (struct
  type t = int * Owner.t (* the level that the task counts for, the task *)

  let compare (a, i) (b, j) =
    match Int.compare a b with 0 -> Int.compare i j | order -> order
end)

type group = {
  lock : Lock_watch.lock;
  holder : Owner.t;  (** {!Owner.nobody}: not known at the moment *)
  waiters : Waiters.t;  (** at least one *)
}

type wait = {
  group : int;  (** number of the group in which the task waits *)
  own : int;  (** the task's own level *)
  counts : int;  (** the greatest of [own] and of the level lent to the task *)
}

type t = {
  groups : group By_id.t;
      (** the groups, by number. A lock may have two groups for a while, one of
          them with an unknown holder; [gather] merges the two. *)
  next : int;  (** number of the next group *)
  held : Ids.t By_id.t;  (** the groups of each holder *)
  waits : wait By_id.t;  (** of each waiting task *)
  lent : int By_id.t;  (** the level lent to each holder *)
}

let empty =
  {
    groups = By_id.empty;
    next = 0;
    held = By_id.empty;
    waits = By_id.empty;
    lent = By_id.empty;
  }

let top { waiters; _ } = Option.map fst (Waiters.max_elt_opt waiters)
let greater a b = if Option.compare Int.compare a b < 0 then b else a

let group_of t id =
  Option.map
    (fun { group; _ } -> By_id.find group t.groups)
    (By_id.find_opt id t.waits)

let lent t id =
  let lent = By_id.find_opt id t.lent in
  match group_of t id with
  | Some ({ holder; _ } as group) when holder = Owner.nobody ->
      greater (top group) lent
  | Some _ | None -> lent

let holder t id =
  Option.map (fun { holder; lock; _ } -> (holder, lock)) (group_of t id)

let held t holder =
  Option.value (By_id.find_opt holder t.held) ~default:Ids.empty

let set_held t holder groups =
  let held =
    if Ids.is_empty groups then By_id.remove holder t.held
    else By_id.add holder groups t.held
  in
  { t with held }

let set_group t number group =
  { t with groups = By_id.add number group t.groups }

(* {1 What holders are lent} *)

let best t holder =
  let add number best = greater best (top (By_id.find number t.groups)) in
  if holder = Owner.nobody then None else Ids.fold add (held t holder) None

let counts ~own = function None -> own | Some lent -> Int.max own lent

(* Adds the waiters of a group to the changed tasks if the group's greatest level has
   changed and its holder is not known: any waiter may have the lock already, and be
   in a scheduler's queue. *)
let also_waiters ~before group changed =
  if group.holder = Owner.nobody && top before <> top group then
    Waiters.fold (fun (_, id) all -> id :: all) group.waiters changed
  else changed

(* Gives a waiting task its new level in its group, and updates the group's holder. *)
let rec place (t, changed) id =
  match By_id.find_opt id t.waits with
  | None -> (t, changed)
  | Some wait ->
      let now = counts ~own:wait.own (By_id.find_opt id t.lent) in
      if now = wait.counts then (t, changed)
      else
        let before = By_id.find wait.group t.groups in
        let others = Waiters.remove (wait.counts, id) before.waiters in
        let group = { before with waiters = Waiters.add (now, id) others } in
        let t = set_group t wait.group group in
        let waits = By_id.add id { wait with counts = now } t.waits in
        let changed = also_waiters ~before group changed in
        refresh ({ t with waits }, changed) group.holder

and refresh (t, changed) holder =
  let now = best t holder in
  if now = By_id.find_opt holder t.lent then (t, changed)
  else
    let lent =
      match now with
      | None -> By_id.remove holder t.lent
      | Some level -> By_id.add holder level t.lent
    in
    place ({ t with lent }, holder :: changed) holder

(* {1 Groups} *)

let of_lock t (lock : Lock_watch.lock) holder =
  let same number = lock.is (By_id.find number t.groups).lock.id in
  List.find_opt same (Ids.elements (held t holder))

let move t number holder =
  let group = By_id.find number t.groups in
  if group.holder = holder then t
  else
    let t = set_held t group.holder (Ids.remove number (held t group.holder)) in
    let t = set_held t holder (Ids.add number (held t holder)) in
    set_group t number { group with holder }

(* Merges the group [other] into the group [number]. *)
let merge t number other =
  let group = By_id.find number t.groups and gone = By_id.find other t.groups in
  let waiters = Waiters.union group.waiters gone.waiters in
  let move_one (_, id) waits =
    By_id.update id (Option.map (fun w -> { w with group = number })) waits
  in
  let waits = Waiters.fold move_one gone.waiters t.waits in
  let t = set_held t gone.holder (Ids.remove other (held t gone.holder)) in
  let groups = By_id.remove other t.groups in
  set_group { t with groups; waits } number { group with waiters }

(* Merges all groups of the group's lock into the group, and puts the group under
   [holder]. *)
let gather (t, changed) number holder =
  let before = By_id.find number t.groups in
  let absorb t from =
    match of_lock t before.lock from with
    | Some other when other <> number -> merge t number other
    | Some _ | None -> t
  in
  let t = absorb (absorb t holder) Owner.nobody in
  let t = move t number holder in
  let changed = also_waiters ~before (By_id.find number t.groups) changed in
  List.fold_left refresh (t, changed) [ before.holder; holder ]

(* {1 Changes} *)

let look t id =
  match By_id.find_opt id t.waits with
  | None -> (t, [])
  | Some { group; _ } ->
      let { lock; _ } = By_id.find group t.groups in
      gather (t, []) group (lock.owner ())

(* The number of the lock's group; begins a group if there is none. *)
let group_for t (lock : Lock_watch.lock) holder =
  match (of_lock t lock holder, of_lock t lock Owner.nobody) with
  | Some number, _ | None, Some number -> (t, number)
  | None, None ->
      let number = t.next in
      let group = { lock; holder; waiters = Waiters.empty } in
      let t = set_group { t with next = number + 1 } number group in
      (set_held t holder (Ids.add number (held t holder)), number)

let wait t id ~level:own (lock : Lock_watch.lock) =
  let holder = lock.owner () in
  let t, number = group_for t lock holder in
  let counts = counts ~own (By_id.find_opt id t.lent) in
  let before = By_id.find number t.groups in
  let waiters = Waiters.add (counts, id) before.waiters in
  let group = { before with waiters } in
  let waits = By_id.add id { group = number; own; counts } t.waits in
  let t = set_group { t with waits } number group in
  gather (t, also_waiters ~before group []) number holder

let level t id own =
  match By_id.find_opt id t.waits with
  | None -> (t, [])
  | Some wait ->
      place ({ t with waits = By_id.add id { wait with own } t.waits }, []) id

(* Removes a group whose last waiter has left. Tasks may wait for the same lock in a
   second group, which began while the holder was not known. *)
let end_group t number { lock; holder; _ } =
  let t = { t with groups = By_id.remove number t.groups } in
  let t = set_held t holder (Ids.remove number (held t holder)) in
  let t, changed = refresh (t, []) holder in
  match of_lock t lock Owner.nobody with
  | None -> (t, changed)
  | Some other -> gather (t, changed) other (lock.owner ())

let leave_group t id number ~counts =
  let before = By_id.find number t.groups in
  let waiters = Waiters.remove (counts, id) before.waiters in
  if Waiters.is_empty waiters then end_group t number before
  else
    let group = { before with waiters } in
    let t = set_group t number group in
    let changed = also_waiters ~before group [] in
    gather (t, changed) number (group.lock.owner ())

let leave t id =
  match By_id.find_opt id t.waits with
  | None -> (t, [])
  | Some { group = number; counts; _ } ->
      let was = lent t id in
      let t = { t with waits = By_id.remove id t.waits } in
      let t, changed = leave_group t id number ~counts in
      (t, if lent t id = was then changed else id :: changed)

let free t id lock =
  match of_lock t lock id with
  | None -> (t, [])
  | Some number -> gather (t, []) number Owner.nobody

let take t (lock : Lock_watch.lock) =
  let same _ (group : group) = lock.is group.lock.id in
  match By_id.choose_opt (By_id.filter same t.groups) with
  | None -> (t, [])
  | Some (number, _) -> gather (t, []) number (lock.owner ())
