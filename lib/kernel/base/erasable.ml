(* The linked list of {!Queue}, with one difference: poppers and erasers take
   a value by an exchange on the [value] cell of the value's node. A node is
   dead once its value is taken, and stays dead.

   The [next] link of a node leads to a later node, and every node between
   the two is dead. A push keeps this invariant: the new link leads to the
   very next node. A sweep keeps the invariant too: the sweep replaces a link
   by a longer link over dead nodes. Therefore a popper may read the old link
   or the new link, and two sweeps may run at once. No link passes over the
   last node, because pushers append to the last node. *)
type 'a node = { mutable value : 'a option Atomic.t; next : 'a link Atomic.t }
[@@warning "-69"]

(* [Nil]: this node is the last. [Gone]: [head] has moved past this node. No
   code assigns [value] and [node]: the two fields are mutable only to give
   the blocks an identity for compare_and_set. *)
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
        (* A failure means that another thread has moved the tail to [node]
           or further. *)
        ignore (Atomic.compare_and_set t.tail last node)
      else push_node t node
  | Link following ->
      ignore (Atomic.compare_and_set t.tail last following.node);
      push_node t node
  | Gone ->
      (* [head] is read after [Gone] was seen, so [head] comes later in the
         list than [last]. *)
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

(* Makes [node] the head. [node] follows [sentinel] and is dead. *)
let advance t sentinel node =
  if Atomic.compare_and_set t.head sentinel node then
    Atomic.set sentinel.next Gone

(* The first live value is the oldest, since [head] only moves to dead nodes.
   [pop] takes the value before it moves [head]. In the other order, another
   popper would find the queue empty while an eraser could still take the
   value. *)
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

(* Moves [head] past the dead nodes at the front. *)
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

(* The first node that is alive, from [node] on; the last node if all are
   dead. *)
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
  | Gone -> count (* a popper has moved [head] past [node] *)
  | Link following as link ->
      let first = following.node in
      let next = skip_dead first in
      if next != first then
        ignore (Atomic.compare_and_set node.next link (Link { node = next }));
      sweep_from next (count + 1)

let sweep t =
  let sentinel = Atomic.get t.head in
  sweep_from sentinel 0
