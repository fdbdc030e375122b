type 'a t = 'a Waiter.t Line.t
type 'a given = Given of 'a t | Nobody | Only_busy | Again of 'a t

let empty = Line.empty
let push line cell = Line.push ~gone:Waiter.gone line cell
let push_front line cell = Line.push_front ~gone:Waiter.gone line cell
let always () = true

(* Call [valid] after skipping the waiters at the front that are gone. If [valid
   ()] is [false], another thread has replaced the structure's state since we
   read it, so our queue is stale: return [Again] with the queue unchanged. The
   caller then reads the state again. *)

(* Offers to the waiters behind a registering one. The registering waiter stays
   in front, so the caller could not install a queue that [view] put in order
   here: go on with the ordered queue at once. *)
let rec give_past ~valid ~self line of_cell =
  match Line.view ~gone:Waiter.gone line with
  | Nobody -> Nobody
  | Again line -> give_past ~valid ~self line of_cell
  | First _ when not (valid ()) -> Again line
  | First (cell, rest) -> (
      match Waiter.offer ~self cell (of_cell cell) with
      | Taken -> Given rest
      | Gone | Busy -> give_past ~valid ~self rest of_cell)

let rec give_by ?(valid = always) ~self line of_cell =
  match Line.view ~gone:Waiter.gone line with
  | Nobody -> Nobody
  | Again line -> Again line
  | First _ when not (valid ()) -> Again line
  | First (cell, rest) -> (
      match Waiter.offer ~self cell (of_cell cell) with
      | Taken -> Given rest
      | Gone -> give_by ~valid ~self rest of_cell
      | Busy -> (
          match give_past ~valid ~self rest of_cell with
          | Given _ -> Given line
          | Again _ -> Again line
          | Nobody | Only_busy -> Only_busy))

let give ?valid ~self line outcome =
  give_by ?valid ~self line (fun _ -> outcome)

(* Asks all waiters, so that every registering select is marked. *)
let any_ready ~self line =
  let found = ref false in
  let ask cell = if Waiter.ready ~self cell then found := true in
  Line.iter ~gone:Waiter.gone ask line;
  !found

let[@inline] ready ~self line =
  (not (Line.is_empty line)) && any_ready ~self line

let give_all line outcome =
  let give cell = ignore (Waiter.offer ~self:Waiter.nobody cell outcome) in
  Line.iter ~gone:Waiter.gone give line
