(* A linked list of nodes. [head] is a sentinel whose value is taken; the
   nodes after [head] hold the content of the queue. [tail] is the last node
   or an earlier one, perhaps one before [head]; a pusher that finds [tail]
   behind moves [tail] on.

   The garbage collector never reuses a node that a thread can reach. Thanks
   to the collector, the code departs from the paper in three points:
   - A popper does not read [tail].
   - A popper reads the value after it has moved [head], not before. From
     then on only that popper touches the field, so the plain accesses to
     [value] do not race.
   - The popper cuts the link of the old sentinel. Otherwise a dead sentinel
     in the major heap would keep the next node alive, and that node the node
     after it. The collector would then promote every node ever pushed, which
     costs several times as much as all other work of the queue. *)
type 'a node = { mutable value : 'a option; next : 'a link Atomic.t }

(* [Nil]: this node is the last. [Gone]: [head] has moved past this node. *)
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
        (* A failure means that another thread has moved the tail to [node]
           or further. *)
        ignore (Atomic.compare_and_set t.tail last node)
      else push_node t node
  | Link following ->
      ignore (Atomic.compare_and_set t.tail last following);
      push_node t node
  | Gone ->
      (* [head] is read after [Gone] was seen, so [head] comes later in the
         list than [last]. *)
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
        (* No other thread writes a link that is not [Nil]. *)
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
