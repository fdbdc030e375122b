(* A wait queue is two lists, or a batch: two lists not yet put in order. The
   elements are the cells. *)

type 'a t =
  | Ordered of {
      front : 'a list;
      back : 'a list; (* newest first *)
      room : int; (* pushes before the next sweep *)
    }
  | Batch of { mutable contents : 'a contents }

(* [contents] changes once, from [Raw] to [Swept], by the first thread that
   needs the ordered list. Several threads may write at once. Their lists differ
   at most in elements that went away in between, so any of the lists will do;
   each list is immutable and complete before the write. *)
and 'a contents =
  | Raw of { older : 'a list; newer : 'a list }
  | Swept of { cells : 'a list; length : int }

type 'a view = Nobody | First of 'a * 'a t | Again of 'a t

let least_room = 16
let empty = Ordered { front = []; back = []; room = least_room }

let sweep gone older newer =
  let keep (cells, length) cell =
    if gone cell then (cells, length) else (cell :: cells, length + 1)
  in
  (* The fold runs from newest to oldest, so the oldest element ends up at the
     head. *)
  List.fold_left keep ([], 0)
    (List.rev_append (List.rev newer) (List.rev older))

let swept gone = function
  | Ordered { front; back; room } -> (front, back, room)
  | Batch batch -> (
      match batch.contents with
      | Swept { cells; length } -> (cells, [], Int.max least_room length)
      | Raw { older; newer } ->
          let cells, length = sweep gone older newer in
          batch.contents <- Swept { cells; length };
          (cells, [], Int.max least_room length))

let is_empty = function
  | Ordered { front = []; back = []; _ } -> true
  | Ordered _ -> false
  | Batch { contents = Swept { cells = []; _ } } -> true
  | Batch _ -> false

let has_first ~gone = function
  | Ordered { front = first :: _; _ } -> not (gone first)
  | Ordered { front = []; _ } | Batch _ -> false

let rec push ~gone t cell =
  match t with
  | Ordered { front = []; back = []; room } ->
      Ordered { front = [ cell ]; back = []; room }
  | Ordered { front; back; room = 0 } ->
      Batch { contents = Raw { older = front; newer = cell :: back } }
  | Ordered { front; back; room } ->
      Ordered { front; back = cell :: back; room = room - 1 }
  | Batch _ ->
      let front, back, room = swept gone t in
      push ~gone (Ordered { front; back; room }) cell

let push_front ~gone t cell =
  let front, back, room = swept gone t in
  Ordered { front = cell :: front; back; room }

(* The elements from the first that is not gone, and how many were skipped. *)
let rec skip gone skipped = function
  | cell :: cells when gone cell -> skip gone (skipped + 1) cells
  | cells -> (skipped, cells)

(* A caller that only looks installs nothing after [First], so each look would
   skip the same gone elements again. After more than [few] of them, [view]
   returns [Again], and the caller installs the shorter queue. *)
let few = 16

let view_swept ~gone t =
  let front, back, room = swept gone t in
  match skip gone 0 front with
  | skipped, (_ :: _ as front) when skipped > few ->
      Again (Ordered { front; back; room })
  | _, first :: front -> First (first, Ordered { front; back; room })
  | _, [] -> (
      match back with
      | [] -> Nobody
      | [ last ] ->
          if gone last then Nobody
          else First (last, Ordered { front = []; back = []; room })
      | newer -> Again (Batch { contents = Raw { older = []; newer } }))

(* The fast path: usually the first element is not gone. *)
let[@inline] view ~gone t =
  match t with
  | Ordered { front = first :: front; back; room } when not (gone first) ->
      First (first, Ordered { front; back; room })
  | Ordered _ | Batch _ -> view_swept ~gone t

let extract ~gone f t =
  let front, back, room = swept gone t in
  let rec go before = function
    | [] -> None
    | cell :: cells when (not (gone cell)) && f cell ->
        let front = List.rev_append before cells in
        Some (cell, Ordered { front; back = []; room })
    | cell :: cells -> go (cell :: before) cells
  in
  go [] (front @ List.rev back)

let exists ~gone f t =
  let front, back, _ = swept gone t in
  let found cell = (not (gone cell)) && f cell in
  List.exists found front || List.exists found back

let iter ~gone f t =
  let front, back, _ = swept gone t in
  let visit cell = if not (gone cell) then f cell in
  List.iter visit front;
  List.iter visit (List.rev back)
