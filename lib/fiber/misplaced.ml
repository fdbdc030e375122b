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

let check_same_run call (run : Fiber.run) what =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody && fiber.worker.run != run then
    other_run call (what ())

(* Entry functions of the schedulers whose thread must not be blocked, by the
   prefix of the module that holds them, with the bridge to use instead. *)
let foreign =
  [
    ( [ "Lwt_main.run" ],
      "the Lwt main loop",
      "Dromos_lwt.offload (package dromos-lwt), or Lwt_preemptive.detach" );
    (* The module itself, and those inside it as dune names them. *)
    ( [
        "Eio_linux.";
        "Eio_linux__";
        "Eio_posix.";
        "Eio_posix__";
        "Eio_windows.";
        "Eio_windows__";
        "Eio_mock.";
        "Eio_mock__";
        "Uring.";
      ],
      "an Eio event loop",
      "the package dromos-eio, or Eio.Domain_manager.run" );
    ( [
        "Async_unix__Raw_scheduler.";
        "Async_unix__Thread_safe.";
        "Async_kernel__Scheduler.";
      ],
      "Async's scheduler",
      "the package dromos-async, or In_thread.run" );
    ( [ "Domainslib__Task."; "Domainslib.Task." ],
      "a Domainslib task",
      "the package dromos-domainslib, or a domain of its own" );
  ]

let starts_with_any prefixes name =
  List.exists (fun prefix -> String.starts_with ~prefix name) prefixes

(* Enough frames to reach the loop's entry from any reasonable callback. *)
let depth = 2000

let of_slot slot =
  match Printexc.Slot.name slot with
  | None -> None
  | Some name ->
      List.find_opt
        (fun (prefixes, _, _) -> starts_with_any prefixes name)
        foreign

(* The last stack that was inside of none: a program calls [run] from few places. *)
let innocent = Atomic.make (Printexc.get_callstack 0)

let named stack =
  let found =
    Option.bind (Printexc.backtrace_slots stack) (fun slots ->
        Array.to_seq slots |> Seq.find_map of_slot)
  in
  if Option.is_none found then Atomic.set innocent stack;
  found

(* The scheduler that the caller is inside of. Stacks are compared by their return
   addresses. *)
let around () =
  let stack = Printexc.get_callstack depth in
  if stack = Atomic.get innocent then None else named stack

let no_fiber what =
  let text =
    match around () with
    | None -> "no run here; call it inside Dromos.run (fun () -> ...)"
    | Some (_, scheduler, bridge) ->
        Printf.sprintf "no run here, inside %s; use %s" scheduler bridge
  in
  raise (Misplaced (what ^ ": " ^ text))

let fiber what =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then no_fiber what else fiber

let complain (_, scheduler, bridge) =
  raise
    (Misplaced
       (Printf.sprintf
          "Dromos.run was called inside %s and would block it until the run \
           ends; use %s"
          scheduler bridge))

let check_run () =
  if Dromos_service.Host.on_thread_for_all () then
    raise
      (Misplaced
         "Dromos.run was called by a callback on a thread that the whole \
          process needs, as that of the timers, and would block it");
  Option.iter complain (around ())
