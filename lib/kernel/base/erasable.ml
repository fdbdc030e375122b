(* The list of {!Queue}, except that a value is taken by an exchange on its own
   node, by poppers and erasers alike. A node whose value is taken is dead, for ever.

   The link of a node leads to a later one, and all nodes that it passes over
   are dead: that is true of a push, which links to the very next, and kept by a
   sweep, which replaces a link by a longer one. So it does not matter which of
   two links a popper has read, nor whether two sweeps meet. The last node is
   never passed over: pushers append to it. *)
type 'a node = { mutable value : 'a option Atomic.t; next : 'a link Atomic.t }
[@@warning "-69"]

(* [Nil]: this is the last node. [Gone]: [head] has moved past it. [value] and
   [node] are mutable only to give the blocks an identity that compare_and_set
   may rely on; they are never assigned. *)
and 'a link = Nil | Link of { mutable node : 'a node } | Gone

type 'a t = { head : 'a node Atomic.t; tail : 'a node Atomic.t }

let make_node value =
  let value = Atomic.make value in
  let next = Atomic.make Nil in
  { value; next }

let no_node () = make_node None

let create () =
  let sentinel = make_node None in
  let head = Atomic.make_contended sentinel in
  let tail = Atomic.make_contended sentinel in
  { head; tail }

let rec push_node t node =
  let last = Atomic.get t.tail in
  match Atomic.get last.next with
  | Nil ->
      if Atomic.compare_and_set last.next Nil (Link { node }) then
        (* If this fails somebody else has moved the tail, at least to us. *)
        ignore (Atomic.compare_and_set t.tail last node)
      else push_node t node
  | Link following ->
      ignore (Atomic.compare_and_set t.tail last following.node);
      push_node t node
  | Gone ->
      (* [head], read after that, comes later in the list than [last]. *)
      let sentinel = Atomic.get t.head in
      ignore (Atomic.compare_and_set t.tail last sentinel);
      push_node t node

let push t value =
  let node = make_node (Some value) in
  push_node t node;
  node

let peek node = Atomic.get node.value
let take node = Atomic.exchange node.value None
let erase node = match take node with Some _ -> true | None -> false

(* Makes [node], which follows [sentinel] and is dead, the head. *)
let advance t sentinel node =
  if Atomic.compare_and_set t.head sentinel node then
    Atomic.set sentinel.next Gone

(* A value that is found alive is the oldest, since [head] only moves to dead
   nodes. It is taken first: were its node the head before that, another popper
   would find the queue empty though an eraser may still come. *)
let rec pop t =
  let sentinel = Atomic.get t.head in
  match Atomic.get sentinel.next with
  | Nil -> None
  | Gone -> pop t
  | Link following -> (
      let node = following.node in
      let taken = take node in
      advance t sentinel node;
      match taken with Some _ -> taken | None -> pop t)

(* Dead nodes at the head are dropped on the way. *)
let rec is_empty t =
  let sentinel = Atomic.get t.head in
  match Atomic.get sentinel.next with
  | Nil -> true
  | Gone -> is_empty t
  | Link following -> (
      let node = following.node in
      match Atomic.get node.value with
      | Some _ -> false
      | None ->
          advance t sentinel node;
          is_empty t)

(* The first node from [node] on that is alive or the last. *)
let rec skip_dead node =
  match Atomic.get node.value with
  | Some _ -> node
  | None -> (
      match Atomic.get node.next with
      | Link following -> skip_dead following.node
      | Nil -> node
      | Gone -> node)

let rec sweep_from node count =
  match Atomic.get node.next with
  | Nil -> count
  | Gone -> count (* a popper has overtaken us *)
  | Link following as link ->
      let first = following.node in
      let next = skip_dead first in
      if next != first then
        ignore (Atomic.compare_and_set node.next link (Link { node = next }));
      sweep_from next (count + 1)

let sweep t =
  let sentinel = Atomic.get t.head in
  sweep_from sentinel 0
