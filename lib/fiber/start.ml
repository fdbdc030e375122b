open Types

let fiber context ?heap ~task ~scope ~node ~fls ~info code =
  let worker = Worker.of_task scope.scope_run context in
  let fiber =
    Fiber.make worker ?heap ~task ~scope ~node ~fls ~pin:(-1) ~info ()
  in
  let to_its_end fiber =
    Carried.own_stack fiber;
    code fiber;
    Waiting.over fiber
  in
  Slice.run worker fiber (Slice.handled to_its_end) fiber;
  Actions.run_all worker;
  Actions.look_around worker

let prepare ~scope ?(node = scope.scope_node) ~fls ~pin ~info ~ends code =
  let maker = (Local.fiber ()).worker in
  let task = Dromos_hub.Hub.task ignore in
  let fiber = Fiber.make maker ~ends ~task ~scope ~node ~fls ~pin ~info () in
  let to_its_end fiber =
    Carried.own_stack fiber;
    Actions.finish fiber (code fiber)
  in
  Waiting.begins fiber;
  Handle.make fiber (fun () -> Slice.handled to_its_end fiber)
