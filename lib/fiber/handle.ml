open Types

type claim = Go of (unit -> unit) | Superseded | Resumed

let resumed = Nobody.resumed
let superseded () = ignore 0

let make ?(home = -1) fiber go =
  let handle = { of_fiber = fiber; home; go = Atomic.make go } in
  fiber.handle <- handle;
  handle

let claim handle =
  let go = Atomic.exchange handle.go resumed in
  if go == resumed then Resumed
  else if go == superseded then Superseded
  else Go go

let is_resumed handle = Atomic.get handle.go == resumed

let rec recover handle =
  let go = Atomic.get handle.go in
  if go == resumed || go == superseded then None
  else if Atomic.compare_and_set handle.go go superseded then begin
    let fresh = { handle with go = Atomic.make go } in
    handle.of_fiber.handle <- fresh;
    Some fresh
  end
  else recover handle

(* {1 Directives} *)

let run action fiber go =
  let directive = Run { action; fiber; go } in
  fiber.given <- directive;
  directive

let take = function
  | Forward _ -> resumed
  | Run ({ go; _ } as directive) ->
      directive.go <- resumed;
      go
