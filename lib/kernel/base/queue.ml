(* A linked list of nodes. [head] is a sentinel whose value is already taken;
   the queue's content is in the nodes after it. [tail] is the last node or
   lags behind it, perhaps behind [head]; a pusher who finds it lagging moves it
   on.

   Departures from the paper, all of them thanks to garbage collection, under
   which a node is never reused:
   - a popper does not look at [tail];
   - the value is read after [head] has been won, not before. The winner is then
     the only thread that ever touches that field again: the accesses to
     [value], plain as they are, do not race;
   - the winner cuts the link of the sentinel it has left. Otherwise a dead
     sentinel in the major heap would keep the node after it, that one the next,
     and so on: every node ever pushed would be promoted, at several times the
     price of all the rest. *)
type 'a node = { mutable value : 'a option; next : 'a link Atomic.t }

(* [Nil]: this is the last node. [Gone]: [head] has moved past it. *)
and 'a link = Nil | Link of 'a node | Gone

type 'a t = { head : 'a node Atomic.t; tail : 'a node Atomic.t }

let make_node value =
  let next = Atomic.make Nil in
  { value; next }

let create () =
  let sentinel = make_node None in
  let head = Atomic.make_contended sentinel in
  let tail = Atomic.make_contended sentinel in
  { head; tail }

let rec push_node t node =
  let last = Atomic.get t.tail in
  match Atomic.get last.next with
  | Nil ->
      if Atomic.compare_and_set last.next Nil (Link node) then
        (* If this fails somebody else has moved the tail, at least to us. *)
        ignore (Atomic.compare_and_set t.tail last node)
      else push_node t node
  | Link following ->
      ignore (Atomic.compare_and_set t.tail last following);
      push_node t node
  | Gone ->
      (* [head], read after that, comes later in the list than [last]. *)
      let sentinel = Atomic.get t.head in
      ignore (Atomic.compare_and_set t.tail last sentinel);
      push_node t node

let push t value = push_node t (make_node (Some value))

let rec pop t =
  let sentinel = Atomic.get t.head in
  match Atomic.get sentinel.next with
  | Nil -> None
  | Gone -> pop t
  | Link node ->
      if Atomic.compare_and_set t.head sentinel node then begin
        (* Nobody else writes a link that is not [Nil]. *)
        Atomic.set sentinel.next Gone;
        let value = node.value in
        node.value <- None;
        value
      end
      else pop t

let rec is_empty t =
  let sentinel = Atomic.get t.head in
  match Atomic.get sentinel.next with
  | Nil -> true
  | Link _ -> false
  | Gone -> is_empty t
