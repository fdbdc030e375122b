(* A deletion takes two steps. First the node's own link is marked; from then on the node
   is not in the set. Later an operation that passes the node unlinks it. Instead of
   Harris's marked pointers each link is a fresh block: if the address is unchanged, the
   link is unchanged. *)

type node = { key : int; next : link Atomic.t }

and link =
  | Live of node
  | Dead of node (* the node with the link is deleted *)
  | End

(* The first node, with a key below all keys; the last node has a key above all. *)
type t = node

let create () =
  let last = { key = max_int; next = Atomic.make End } in
  { key = min_int; next = Atomic.make (Live last) }

(* Finds the last node below [key], its link, and the node behind the link: the first node
   from [key] on. At some moment of the call both nodes were in the list, next to each
   other; the search has unlinked deleted nodes between them. *)
let rec search t key = from t key t (Atomic.get t.next)

and from t key left link =
  match link with
  | Live node -> past t key left link node node
  | Dead _ | End -> assert false

(* [first] is the node behind [link]; the nodes from [first] up to [node], [node] not
   included, are deleted. *)
and past t key left link first node =
  match Atomic.get node.next with
  | Dead after -> past t key left link first after
  | (Live _ | End) as onwards ->
      if node.key < key then from t key node onwards
      else if node == first then (left, link, node)
      else
        let direct = Live node in
        if Atomic.compare_and_set left.next link direct then (left, direct, node)
        else search t key

let rec add t key =
  let left, link, right = search t key in
  right.key <> key
  && (Atomic.compare_and_set left.next link
        (Live { key; next = Atomic.make (Live right) })
     || add t key)

let rec remove t key =
  let left, link, right = search t key in
  right.key = key
  &&
  match Atomic.get right.next with
  | Live after as onwards
    when Atomic.compare_and_set right.next onwards (Dead after) ->
      if not (Atomic.compare_and_set left.next link (Live after)) then
        ignore (search t key);
      true
  | Live _ | Dead _ | End -> remove t key

let mem t key =
  let rec go node =
    match Atomic.get node.next with
    | (Live after | Dead after) when node.key < key -> go after
    | Live _ -> node.key = key
    | Dead _ | End -> false
  in
  go t

let to_list t =
  let rec go acc node =
    match Atomic.get node.next with
    | End -> List.rev acc
    | Live after -> go (node.key :: acc) after
    | Dead after -> go acc after
  in
  match Atomic.get t.next with
  | Live first -> go [] first
  | Dead _ | End -> assert false
