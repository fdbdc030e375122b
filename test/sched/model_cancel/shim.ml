(* The traced copies of Cancelable see this module in place of fibers and
   scopes. A fiber is a thread of the model checker. *)

open Dromos_model.Traced
module Stand_in = Dromos_model.Stand_in

module Types = struct
  type node = exn Once.t

  type fiber = {
    mutable node : node;
    mutable fls : Hmap.t;
    signal : int Atomic.t;
  }

  type scope = { scope_node : node }
end

open Types

module Fiber = struct
  type t = fiber
  type _ Effect.t += Current : t Effect.t

  let current () = Effect.perform Current
end

module Cancel = struct
  type t = node

  exception Cancelled

  let root () = Once.create ()
  let is_cancelled = Once.is_closed
  let cancel node = ignore (Once.close node Cancelled : bool)

  let attach node ~below =
    let place =
      Once.listen below (fun e -> ignore (Once.close node e : bool))
    in
    if place == Once.nobody then cancel node;
    place

  let pending (fiber : Fiber.t) = is_cancelled fiber.node
end

module Dromos_service = struct
  module Stack_room = struct
    let ensure _ = ()
  end
end

module Misplaced = struct
  let fiber _ = Fiber.current ()
end

module Fls = struct
  type 'a key = 'a Hmap.key

  let new_key () = Hmap.Key.create ()
  let find_opt key = Hmap.find key (Fiber.current ()).fls

  let let_ key v f =
    let fiber = Fiber.current () in
    let before = fiber.fls in
    fiber.fls <- Hmap.add key v before;
    Fun.protect f ~finally:(fun () -> fiber.fls <- before)
end

module Scope = struct
  type t = scope

  let run f =
    let fiber = Fiber.current () in
    let outer = fiber.node and node = Cancel.root () in
    let place = Cancel.attach node ~below:outer in
    fiber.node <- node;
    Fun.protect
      (fun () -> f { scope_node = node })
      ~finally:(fun () ->
        fiber.node <- outer;
        Once.leave place)
end

module Dromos_fiber = struct
  module Types = Types
  module Fiber = Fiber
  module Cancel = Cancel
  module Misplaced = Misplaced
  module Scope = Scope
end

(* The thread that closes the cell continues a waiting fiber: at once, or after
   its own code. *)
type _ Effect.t += Wait : { cell : 'a Once.t; at_once : bool } -> unit Effect.t

module Dromos_sync = struct
  module Author = struct
    module Once = Once

    module Event = struct
      let once_source ~reason:_ cell _ = cell
    end

    module Waiter = struct
      let wait ~shielded:_ cell = Effect.perform (Wait { cell; at_once = true })
    end
  end
end

(** {1 For scenarios} *)

(* A cancellation point. *)
let check () =
  if Cancel.is_cancelled (Fiber.current ()).node then raise Cancel.Cancelled

(** Sleeps until the caller is cancelled. *)
let sleep () =
  let cell = (Fiber.current ()).node in
  Effect.perform (Wait { cell; at_once = false });
  check ()

let wait ~at_once cell k =
  let go () = Effect.Deep.continue k () in
  let told _ = if at_once then go () else Effect.perform (Stand_in.Later go) in
  let place = Once.listen cell told in
  if place == Once.nobody then go ()

let fiber ?(below = Cancel.root ()) f () =
  let me = { node = below; fls = Hmap.empty; signal = Atomic.make 0 } in
  Effect.Deep.match_with f ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Fiber.Current ->
              Some
                (fun (k : (a, unit) Effect.Deep.continuation) ->
                  Effect.Deep.continue k me)
          | Wait { cell; at_once } ->
              Some
                (fun (k : (a, unit) Effect.Deep.continuation) ->
                  wait ~at_once cell k)
          | _ -> None);
    }

let thread = Stand_in.thread
