(* A linked list from [head], a node whose value has been taken, to [tail]. [tail] is the
   last node or the node before; an operation that finds [tail] behind advances it. *)

type 'a node =
  | End
  | Node of { mutable value : 'a option; next : 'a node Atomic.t }

type 'a t = { head : 'a node Atomic.t; tail : 'a node Atomic.t }

let next = function Node n -> n.next | End -> assert false

let create () =
  let node = Node { value = None; next = Atomic.make End } in
  { head = Atomic.make node; tail = Atomic.make node }

let help t last ahead = ignore (Atomic.compare_and_set t.tail last ahead : bool)

let rec append t node =
  let last = Atomic.get t.tail in
  let link = next last in
  match Atomic.get link with
  | Node _ as ahead ->
      help t last ahead;
      append t node
  | End ->
      if Atomic.compare_and_set link End node then help t last node
      else append t node

let push t x = append t (Node { value = Some x; next = Atomic.make End })

let rec pop t =
  let first = Atomic.get t.head in
  let last = Atomic.get t.tail in
  match Atomic.get (next first) with
  | End -> None
  | Node n as second ->
      if first == last then begin
        help t last second;
        pop t
      end
      else
        let value = n.value in
        if Atomic.compare_and_set t.head first second then begin
          (* Only the popping task may touch the value; the node stays in the list as
             [head], and must not keep the value alive. *)
          n.value <- None;
          value
        end
        else pop t
