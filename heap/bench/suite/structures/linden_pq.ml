(* A skip list whose bottom level alone defines the contents of the queue. A mark on the
   link that leads to a node deletes the node, so deleted nodes are always the first nodes
   of the list. A pop walks over deleted nodes and marks one more link. About every
   [most_deleted]th pop unlinks deleted nodes: one compare-and-set of [first]'s bottom
   link skips all of them, and then its upper links follow. In the paper a mark is a bit
   of the pointer; here a link is a fresh block. *)

type 'a node = {
  key : int;
  value : 'a option;
  bottom : 'a link Atomic.t;
  upper : 'a node Atomic.t array; (* the link of level i + 1 is at index i *)
  mutable pushing : bool; (* upper links are still missing *)
}

and 'a link =
  | To of 'a node
  | To_deleted of 'a node
  | End (* the link of [last] alone *)

type 'a t = { first : 'a node; last : 'a node }

let levels = 20
let most_deleted = 64

let node key value ~bottom ~upper ~pushing =
  { key; value; bottom = Atomic.make bottom; upper; pushing }

let create () =
  let last = node max_int None ~bottom:End ~upper:[||] ~pushing:false in
  let upper = Array.init (levels - 1) (fun _ -> Atomic.make last) in
  let first = node min_int None ~bottom:(To last) ~upper ~pushing:false in
  { first; last }

(* On average every second node has an upper link, every fourth has two, and so on. *)
let random_height () =
  let rec go height bits =
    if bits land 1 = 0 || height = levels - 1 then height
    else go (height + 1) (bits lsr 1)
  in
  go 0 (Random.bits ())

(* [true] if the next node is deleted; all nodes before the next one are then deleted
   too. *)
let before_deleted node =
  match Atomic.get node.bottom with To_deleted _ -> true | To _ | End -> false

(* {1 The place of a key} *)

type 'a place = {
  before : 'a node array; (* by upper level *)
  after : 'a node array;
  left : 'a node; (* at the bottom level *)
  link : 'a link; (* the link in [left]: [To] the node after the key *)
  last_deleted : 'a node option;
      (* the last deleted node seen before [left], if any *)
}

let rec locate_bottom node key last_deleted =
  match Atomic.get node.bottom with
  | To_deleted next -> locate_bottom next key (Some next)
  | To next when next.key < key || before_deleted next ->
      locate_bottom next key last_deleted
  | (To _ | End) as link -> (node, link, last_deleted)

let locate t key =
  let before = Array.make (levels - 1) t.first in
  let after = Array.make (levels - 1) t.last in
  let rec go node level =
    let next = Atomic.get node.upper.(level) in
    if next.key < key || before_deleted next then go next level
    else begin
      before.(level) <- node;
      after.(level) <- next;
      if level > 0 then go node (level - 1) else node
    end
  in
  let left, link, last_deleted =
    locate_bottom (go t.first (levels - 2)) key None
  in
  { before; after; left; link; last_deleted }

(* {1 Operations} *)

(* Links [node] at [level] and above. Stops if the node or its successor is deleted
   meanwhile: the link is then not worth the effort. *)
let rec link_upper t node place level =
  if level < Array.length node.upper then begin
    let next = place.after.(level) in
    Atomic.set node.upper.(level) next;
    let gone =
      before_deleted node || before_deleted next
      || match place.last_deleted with Some d -> d == next | None -> false
    in
    if not gone then
      if Atomic.compare_and_set place.before.(level).upper.(level) next node
      then link_upper t node place (level + 1)
      else
        let place = locate t node.key in
        match place.link with
        | To next when next == node -> link_upper t node place level
        | To _ | To_deleted _ | End -> ()
  end

let push t key value =
  let upper = Array.init (random_height ()) (fun _ -> Atomic.make t.last) in
  let node = node key (Some value) ~bottom:End ~upper ~pushing:true in
  let rec go () =
    let place = locate t key in
    Atomic.set node.bottom place.link;
    if Atomic.compare_and_set place.left.bottom place.link (To node) then
      link_upper t node place 0
    else go ()
  in
  go ();
  node.pushing <- false

(* Moves [first]'s upper links past deleted nodes. *)
let restructure t =
  let rec alive node level =
    if before_deleted node then alive (Atomic.get node.upper.(level)) level
    else node
  in
  let rec at level =
    if level >= 0 then
      let link = t.first.upper.(level) in
      let next = Atomic.get link in
      if
        (not (before_deleted next))
        || Atomic.compare_and_set link next (alive next level)
      then at (level - 1)
      else at level
  in
  at (levels - 2)

(* Makes the list begin with [from]; all nodes up to [from] are deleted. *)
let unlink t start from =
  if Atomic.compare_and_set t.first.bottom start (To_deleted from) then
    restructure t

let pop_min t =
  let start = Atomic.get t.first.bottom in
  (* [pushed] is the first node met that is still being pushed, and must stay. *)
  let rec walk node steps pushed =
    let pushed =
      if Option.is_none pushed && node.pushing then Some node else pushed
    in
    match Atomic.get node.bottom with
    | To_deleted next -> walk next (steps + 1) pushed
    | To next when next == t.last -> None
    | To next as link ->
        if Atomic.compare_and_set node.bottom link (To_deleted next) then begin
          if steps >= most_deleted then
            unlink t start (Option.value pushed ~default:next);
          Some (next.key, Option.get next.value)
        end
        else walk node steps pushed
    | End -> None
  in
  walk t.first 0 None
