open Dromos_fiber
open Types
module Once = Dromos_sync.Author.Once

type ctx = Fiber.t

(* Functions that allocate a closure are not inlined, as in [Pval]; all other
   functions are. *)

let[@inline never] give ctx body v = body ctx (fun () -> v)

let[@inline] closures ctx e body =
  let v = e ctx in
  give ctx body v

let[@inline never] nobody_steals () = assert false

let owned =
  Owned
    {
      begin_own = ignore;
      offer = (fun _ _ -> nobody_steals ());
      taken = (fun _ () _ -> nobody_steals ());
    }

let[@inline] link fiber body = Frame.push fiber owned body

let[@inline never] after fiber fork v body =
  if fiber.frames.top == Frame fork then Frame.back_to fiber fork.prev
  else nobody_steals ();
  if fork.cell == owned then body fiber (fun () -> v) else nobody_steals ()

let[@inline] frame fiber e body =
  let fork = link fiber body in
  let v = e fiber in
  after fiber fork v body

let[@inline never] asked fiber = Cancel.check fiber
let[@inline] look fiber = if Atomic.get fiber.signal > 0 then asked fiber

let[@inline] poll fiber e body =
  let fork = link fiber body in
  look fiber;
  let v = e fiber in
  after fiber fork v body

let[@inline never] failed fiber fork e =
  Frame.pop fiber fork;
  raise e

let[@inline] handler fiber e body =
  let fork = link fiber body in
  match
    look fiber;
    e fiber
  with
  | v -> after fiber fork v body
  | exception e -> failed fiber fork e

(* {1 The savings of the frame} *)

(* The code that a thief would run. *)
let[@inline never] late (x : 'a Once.t) body fiber =
  body fiber (fun () -> Option.get (Once.peek x))

let[@inline never] cell ctx e body =
  let x = Once.create () in
  let code () = ignore (late x body ctx) in
  ignore (Sys.opaque_identity code : unit -> unit);
  let v = e ctx in
  body ctx (fun () -> v)

module Deques = Dromos_deque.Public

let deques = Deques.create ~workers:1 ~dummy:ignore

let[@inline never] deque ctx e body =
  let x = Once.create () in
  let code () = ignore (late x body ctx) in
  Deques.push deques 0 code;
  let v = e ctx in
  match Deques.pop deques 0 with
  | Some _ -> body ctx (fun () -> v)
  | None -> nobody_steals ()
