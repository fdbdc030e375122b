exception Misplaced = Dromos_suspend.Misplaced

let no_switch what =
  raise
    (Misplaced
       (what
      ^ ": called in a finaliser, a signal handler or another callback from C, \
         where the calling fiber cannot be suspended"))

let check_switch what =
  match Effect.perform Dromos_suspend.Self with
  | (_ : int) -> ()
  | exception Effect.Unhandled Dromos_suspend.Self -> no_switch what

let other_run call what =
  invalid_arg (Printf.sprintf "%s: %s belongs to another run" call what)

let check_same_run call (run : Types.run) what =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody && fiber.worker.run != run then
    other_run call (what ())

let no_fiber what =
  let text =
    match Foreign.around () with
    | None -> "no run here; call it inside Dromos.run (fun () -> ...)"
    | Some { scheduler; run; _ } ->
        Printf.sprintf "no run here, inside %s; use %s" scheduler run
  in
  raise (Misplaced (what ^ ": " ^ text))

let fiber what =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then no_fiber what else fiber

let complain { Foreign.scheduler; run; _ } =
  raise
    (Misplaced
       (Printf.sprintf
          "Dromos.run was called inside %s and would block it until the run \
           ends; use %s"
          scheduler run))

let check_run () =
  if Dromos_service.Host.on_thread_for_all () then
    raise
      (Misplaced
         "Dromos.run was called by a callback on a thread that the whole \
          process needs, as that of the timers, and would block it");
  Option.iter complain (Foreign.around ())
