open Types
module Once = Dromos_sync.Author.Once

type candidate = { frame : frame; env : env }

(* The number of frames that a walk takes.

   Frames are promoted oldest first, so the promoted frames are the oldest of
   the chain, and a walk can stop at the first promoted frame.

   A walk over d frames takes 1 + d/64 frames, so that the walk costs no more
   than publishing the frames: one frame per walk would make deep recursions
   quadratic. A walk allocates nothing before it reaches the last frames, since
   a minor collection would scan the deep stack each time. *)
let share latent = 1 + (latent / 64)

let rec count n (Frame fork as frame) =
  if Frame.is_nil frame then n
  else
    match fork.cell with
    | Promoted _ -> n
    | Border _ -> count n fork.prev
    | Latent | Owned _ -> count (n + 1) fork.prev

(* The latent frames without the newest [skip], oldest first. *)
let rec but_newest skip acc env (Frame fork as frame) =
  if Frame.is_nil frame then acc
  else
    match fork.cell with
    | Promoted _ -> acc
    | Border outer -> but_newest skip acc outer fork.prev
    | Latent | Owned _ ->
        if skip > 0 then but_newest (skip - 1) acc env fork.prev
        else but_newest 0 ({ frame; env } :: acc) env fork.prev

let rec fewer_than n (Frame fork as frame) =
  Frame.is_nil frame
  ||
  match fork.cell with
  | Promoted _ -> true
  | Border _ -> fewer_than n fork.prev
  | Latent | Owned _ -> n > 0 && fewer_than (n - 1) fork.prev

let are_few fiber = fewer_than 100 fiber.frames.top

let oldest fiber top =
  match count 0 top with
  | 0 -> []
  | n -> but_newest (n - share n) [] (Surroundings.of_fiber fiber) top

(* A single walk, since the chain may be very long. *)
let all fiber = but_newest 0 [] (Surroundings.of_fiber fiber) fiber.frames.top

(* The depth is limited: a fiber may yield under any number of frames. *)
let rec has_owned depth (Frame fork as frame) =
  depth > 0
  && (not (Frame.is_nil frame))
  &&
  match fork.cell with
  | Owned _ -> true
  | Latent | Border _ -> has_owned (depth - 1) fork.prev
  | Promoted _ -> false

let has_owned frame = has_owned 64 frame

let still_so still fiber =
  match still with
  | None -> true
  | Some (local, top) -> local.current == fiber && fiber.frames.top == top

(* No poll point lies between the tests and the stores; the stored value is made
   before. A publisher thread and the fiber thus never both mark a frame, and
   neither marks a frame after the other thread has seen the frame leave the
   chain. *)
let mark_plain : type a b. _ -> fiber -> (fiber -> b, a, b) fork -> bool =
 fun still fiber fork ->
  let join =
    Promoted
      {
        state = Join.create ();
        branch = Cancel.root ();
        branch_code = fork.code;
        owned = None;
        record = Task_heap.no_record;
      }
  in
  match fork.cell with
  | Latent when still_so still fiber ->
      fork.cell <- join;
      true
  | Latent | Owned _ | Promoted _ | Border _ -> false

(* Returns the surroundings of [frame]'s first branch: the oldest border above
   the frame (nil if there is none), the node above that border, and the node
   below the border. *)
let rec surroundings frame border above under (Frame fork as here) =
  if here == frame || Frame.is_nil here then (border, above, under)
  else
    match fork.cell with
    | Border outer -> surroundings frame here under outer.under fork.prev
    | Latent | Owned _ | Promoted _ ->
        surroundings frame border above under fork.prev

let below : type code a b. node -> (code, a, b) cell -> (code, a, b) cell =
 fun first -> function
  | Border env -> Border { env with under = first }
  | cell -> cell

(* The join record of an owned frame, with the branch's code for the task that
   takes the branch. *)
let owned_join { begin_own; offer; taken } code split =
  let own = begin_own () in
  let branch_code fiber = taken fiber own code in
  let owned = Some { publish = offer; of_first = split; own } in
  let state = Join.create () and branch = Cancel.root () in
  Promoted { state; branch; branch_code; owned; record = Task_heap.no_record }

(* The first branch of an owned frame gets a cancellation node of its own,
   [first] (each node points to its parent):

   before:  above -> outer
   after:   above -> first -> outer

   [outer] is the node right above the frame, and [above] the node above the
   oldest border, if there is a border. [first] takes the place of [outer] for
   what the branch does from now on; [above], for what the branch is doing in
   scopes of its own, is attached below [first]. If the last test finds that the
   place has changed meanwhile, the frame stays latent for now. *)
let mark_owned still fiber (Frame fork as frame) =
  match fork.cell with
  | Latent | Promoted _ | Border _ -> false
  | Owned owner as seen ->
      let top = fiber.frames.top in
      let border, above, outer =
        surroundings frame Nobody.nil fiber.node fiber.node top
      in
      let (Frame bordering) = border in
      let bordered = not (Frame.is_nil border) in
      let was = bordering.cell in
      let first = Cancel.root () in
      let place = Cancel.attach first ~below:outer in
      if above != outer then
        ignore (Cancel.attach above ~below:first : exn Once.listener);
      let becomes = below first was in
      let join = owned_join owner fork.code { first; outer; place } in
      let same =
        fork.cell == seen && still_so still fiber && fiber.frames.top == top
        && if bordered then bordering.cell == was else fiber.node == outer
      in
      if same then begin
        fork.cell <- join;
        if bordered then bordering.cell <- becomes
        else Surroundings.set_node fiber first
      end
      else Once.leave place;
      same

let mark ?still fiber (Frame fork as frame) =
  match fork.cell with
  | Latent -> mark_plain still fiber fork
  | Owned _ -> mark_owned still fiber frame
  | Promoted _ | Border _ -> false
