(* A skip list, of which only the bottom level says what is in the queue. A node is
   deleted by a mark on the link that leads to it, so that the deleted ones are
   always the first of the list: popping walks over them and marks one link more. That
   they are unlinked is left to every [most_deleted]th or so of those who pop: by one
   compare-and-set of [first]'s bottom link over all of them, and then of its upper
   ones. In the paper a mark is a bit of
   the pointer; here a link is a fresh block. *)

type 'a node = {
  key : int;
  value : 'a option;
  bottom : 'a link Atomic.t;
  upper : 'a node Atomic.t array; (* level i + 1 is at i *)
  mutable pushing : bool; (* upper links are still to come *)
}

and 'a link =
  | To of 'a node
  | To_deleted of 'a node
  | End (* of [last] alone *)

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

(* One in two nodes has an upper link, one in four has two, .. *)
let random_height () =
  let rec go height bits =
    if bits land 1 = 0 || height = levels - 1 then height
    else go (height + 1) (bits lsr 1)
  in
  go 0 (Random.bits ())

(* What follows it is deleted, and so is all that stands before. *)
let before_deleted node =
  match Atomic.get node.bottom with To_deleted _ -> true | To _ | End -> false

(* {1 Where a key belongs} *)

type 'a place = {
  before : 'a node array; (* by upper level *)
  after : 'a node array;
  left : 'a node; (* at the bottom *)
  link : 'a link; (* in [left]: [To] what the key stands before *)
  last_deleted : 'a node option; (* the last seen before [left], if any *)
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

(* Links [node] at [level] and above, unless it or what follows has been deleted
   meanwhile: then it is not worth while. *)
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

(* [first]'s upper links, over what is deleted. *)
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

(* All up to [from] are deleted; the list begins with it from now on. *)
let unlink t start from =
  if Atomic.compare_and_set t.first.bottom start (To_deleted from) then
    restructure t

let pop_min t =
  let start = Atomic.get t.first.bottom in
  (* [pushed]: the first met that is still being pushed, and must stay. *)
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
