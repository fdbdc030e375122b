open Types

let owned_forks = ref false

let outside () =
  match Local.find () with Some { outside; _ } -> outside | None -> None

let current () =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody then fiber.fls
  else match outside () with Some { read; _ } -> read () | None -> Hmap.empty

let set ~call storage =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody then Surroundings.set_storage fiber storage
  else
    match outside () with
    | Some { write = Some write; _ } -> write storage
    | Some { write = None; _ } | None -> Misplaced.no_fiber call

(* {1 In a fiber} *)

let plainly fiber storage f =
  Dromos_service.Stack_room.ensure 1;
  let before = fiber.fls in
  Surroundings.set_storage fiber storage;
  let restore () = Surroundings.set_storage (Fiber.current ()) before in
  Fun.protect f ~finally:restore

(* {!Latent.mark} inserts a first branch's node below the oldest border. The
   node must reach tasks above the border, so the border gets a node of its own
   here. *)
let node_above fiber =
  if !owned_forks && fiber.shield = 0 then Some (Cancel.root ()) else None

(* A border preserves the surroundings of frames that were linked before. Tasks
   of another scheduler in the fiber end in any order, so such tasks get no
   border. *)
let within_fiber fiber storage f =
  if Frame.is_nil fiber.frames.top || Fiber.is_host fiber then
    plainly fiber storage f
  else
    Surroundings.inside ~fls:storage ?node:(node_above fiber) fiber
      ~scope:fiber.scope ~shield:fiber.shield f

(* {1 On a thread} *)

let cell storage =
  let now = ref storage in
  let within storage f =
    let before = !now in
    now := storage;
    Fun.protect f ~finally:(fun () -> now := before)
  in
  { read = (fun () -> !now); write = Some (fun s -> now := s); within }

let provide outside =
  let made = Option.is_none (Local.find ()) in
  let local = Local.get () in
  let before = local.outside in
  local.outside <- Some outside;
  fun () ->
    local.outside <- before;
    if made && local.serving == None then Local.release local

let within_thread storage f =
  Dromos_service.Stack_room.ensure 1;
  match outside () with
  | Some { within; _ } -> within storage f
  | None -> Fun.protect f ~finally:(provide (cell storage))

let within storage f =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody then within_fiber fiber storage f
  else within_thread storage f

(* {1 For tasks inside a task} *)

let save () =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody then
    let { fls; _ } = fiber in
    let back () =
      let fiber = Fiber.current () in
      if fiber != Fiber.nobody then Surroundings.set_storage fiber fls
    in
    back
  else
    match outside () with
    | Some { read; write = Some write; _ } ->
        let storage = read () in
        fun () -> write storage
    | Some { write = None; _ } | None -> ignore
