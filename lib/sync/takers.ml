type 'a t = 'a Waiter.t Line.t
type 'a given = Given of 'a t | Nobody | Only_busy | Again of 'a t

let empty = Line.empty
let push line cell = Line.push ~gone:Waiter.gone line cell
let always () = true

(* [valid] is asked after those further in front were seen to have gone. If it
   says no, the structure's word has changed since, and there is nothing to
   install: [Again] with the very same line means only that. *)

(* Behind somebody busy, who stays in front: a line made ready here could not be
   installed, so it is used at once. *)
let rec give_past ~valid ~self line outcome =
  match Line.view ~gone:Waiter.gone line with
  | Nobody -> Nobody
  | Again line -> give_past ~valid ~self line outcome
  | First _ when not (valid ()) -> Again line
  | First (cell, rest) -> (
      match Waiter.offer ~self cell outcome with
      | Taken -> Given rest
      | Gone | Busy -> give_past ~valid ~self rest outcome)

let rec give ?(valid = always) ~self line outcome =
  match Line.view ~gone:Waiter.gone line with
  | Nobody -> Nobody
  | Again line -> Again line
  | First _ when not (valid ()) -> Again line
  | First (cell, rest) -> (
      match Waiter.offer ~self cell outcome with
      | Taken -> Given rest
      | Gone -> give ~valid ~self rest outcome
      | Busy -> (
          match give_past ~valid ~self rest outcome with
          | Given _ -> Given line
          | Again _ -> Again line
          | Nobody | Only_busy -> Only_busy))

(* All are asked, so that every busy choice is marked. *)
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
