open Dromos_fiber
open Fiber
module Broadcast = Dromos_sync.Broadcast

type ctx = Fiber.t

let[@inline never] closures ctx e body =
  let v = e ctx in
  body ctx (fun () -> v)

(* What a thief would run. *)
let late (x : 'a Broadcast.t) body fiber =
  body fiber (fun () -> Option.get (Broadcast.peek x))

let[@inline never] ivar ctx e body =
  let x = Broadcast.create () in
  let code fiber = late x body fiber in
  ignore (Sys.opaque_identity code : ctx -> _);
  let v = e ctx in
  body ctx (fun () -> v)

let[@inline never] nobody_steals () = assert false
let owned = Owned { offer = (fun _ _ -> nobody_steals ()) }

let[@inline] link fiber code =
  let fork = { code; cell = owned; prev = fiber.top } in
  fiber.top <- Frame fork;
  fork

let[@inline] unlink fiber fork =
  if fiber.top == Frame fork then fiber.top <- fork.prev else nobody_steals ()

let[@inline] taken fork =
  match fork.cell with
  | Owned _ -> ()
  | Latent | Promoted _ | Border _ -> nobody_steals ()

let[@inline never] frame fiber e body =
  let x = Broadcast.create () in
  let code fiber = late x body fiber in
  let fork = link fiber code in
  let v = e fiber in
  unlink fiber fork;
  taken fork;
  body fiber (fun () -> v)

let[@inline never] asked fiber = Cancel.check fiber
let[@inline] look fiber = if Atomic.get fiber.signal > 0 then asked fiber

let[@inline never] poll fiber e body =
  let x = Broadcast.create () in
  let code fiber = late x body fiber in
  let fork = link fiber code in
  look fiber;
  let v = e fiber in
  unlink fiber fork;
  taken fork;
  body fiber (fun () -> v)

let[@inline never] failed fiber fork e =
  unlink fiber fork;
  raise e

let[@inline never] handler fiber e body =
  let x = Broadcast.create () in
  let code fiber = late x body fiber in
  let fork = link fiber code in
  match
    look fiber;
    e fiber
  with
  | v ->
      unlink fiber fork;
      taken fork;
      body fiber (fun () -> v)
  | exception e -> failed fiber fork e

module Deques = Dromos_deque.Public

let deques = Deques.create ~workers:1 ~dummy:ignore

let[@inline never] deque ctx e body =
  let x = Broadcast.create () in
  let code () = ignore (late x body ctx) in
  Deques.push deques 0 code;
  let v = e ctx in
  match Deques.pop deques 0 with
  | Some _ -> body ctx (fun () -> v)
  | None -> nobody_steals ()
