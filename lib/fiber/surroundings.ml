open Types
module Once = Dromos_sync.Author.Once

let of_fiber fiber =
  {
    in_scope = fiber.scope;
    under = fiber.node;
    shielded = fiber.shield > 0;
    inherits = fiber.fls;
  }

(* No poll point separates the stores, which allocate nothing: a publisher thread
   sees either all stores or none. *)
let set fiber ~top ~scope ~node ~shield ~fls =
  Frame.back_to fiber top;
  fiber.scope <- scope;
  fiber.node <- node;
  fiber.shield <- shield;
  fiber.fls <- fls

(* Links a border. {!Latent.mark} may have given the fiber another node while this
   function allocated: then the border is made again. No poll point lies between the
   test and the stores. *)
let rec link fiber ~scope ~node ~shield ~fls =
  let env = of_fiber fiber in
  let border = { code = ignore; cell = Border env; prev = fiber.frames.top } in
  if fiber.node == env.under then begin
    let node = match node with Some node -> node | None -> env.under in
    set fiber ~top:(Frame border) ~scope ~node ~shield ~fls;
    border
  end
  else link fiber ~scope ~node ~shield ~fls

let under border outer =
  match border.cell with
  | Border env -> env.under
  | Latent | Owned _ | Promoted _ -> outer

(* A new node is attached after the border is linked. {!Latent.mark} either came
   before, and [under] is the node that it inserted; or it comes later, finds the new
   node above the border, and attaches the node itself. *)
let inside ?fls ?node fiber ~scope ~shield f =
  Dromos_service.Stack_room.ensure 1;
  let prev = fiber.frames.top in
  let { scope = outer_scope; node = outer_node; shield = outer_shield; _ } =
    fiber
  and outer_fls = fiber.fls in
  let border =
    link fiber ~scope ~node ~shield ~fls:(Option.value fls ~default:outer_fls)
  in
  let place =
    match node with
    | Some node when outer_shield = 0 ->
        Cancel.attach node ~below:(under border outer_node)
    | Some _ | None -> Once.nobody
  in
  let restore () =
    let node = under border outer_node in
    let fls = match fls with None -> fiber.fls | Some _ -> outer_fls in
    set fiber ~top:prev ~scope:outer_scope ~node ~shield:outer_shield ~fls;
    Once.leave place
  in
  match f () with
  | v ->
      restore ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      restore ();
      Printexc.raise_with_backtrace e bt

let shielded fiber f =
  inside fiber ~scope:fiber.scope ~shield:(fiber.shield + 1) f

let stands_on_border { frames; _ } =
  Frame.is_nil frames.top
  ||
  let (Frame { cell; _ }) = frames.top in
  match cell with Border _ -> true | Latent | Owned _ | Promoted _ -> false

let[@inline] set_storage fiber fls = fiber.fls <- fls
let[@inline] set_node fiber node = fiber.node <- node

let end_split fiber { outer; place; _ } =
  fiber.node <- outer;
  Once.leave place
