type t = {
  scheduler : string; (* the scheduler's name, for messages *)
  loop : (string * string) list;
      (* prefixes of the functions around the scheduler's tasks, each with a
         part of the name of the source file: programs have modules of equal
         names *)
  apart : string list;
      (* prefixes of functions that run a task on a domain made for the task. If
         such a function is on the stack, the caller blocks no other task of the
         scheduler *)
  effects : string list; (* prefixes of the names of the scheduler's effects *)
  waits : string list; (* the effects that suspend a task *)
  run : string; (* the replacement of [Dromos.run] in the scheduler's tasks *)
  wait : string; (* the way in which a fiber waits for the scheduler *)
  wrap : string option;
      (* the function that makes the scheduler's tasks
                           separate owners *)
}

let eio =
  {
    scheduler = "an Eio event loop";
    loop =
      [
        ("Eio_linux__Sched.", "lib_eio_linux/");
        ("Eio_posix__Sched.", "lib_eio_posix/");
        ("Eio_windows__Sched.", "lib_eio_windows/");
        ("Eio_mock__Backend.", "lib_eio/mock/");
      ];
    apart =
      [
        "Eio__Domain_manager.";
        "Eio__Executor_pool.";
        "Eio_linux.Domain_mgr.";
        "Eio_linux__Domain_mgr.";
        "Eio_posix__Domain_mgr.";
        "Eio_windows__Domain_mgr.";
      ];
    effects =
      [
        "Eio__core__";
        "Eio_linux__Sched.";
        "Eio_posix__Sched.";
        "Eio_windows__Sched.";
      ];
    waits =
      [
        "Eio__core__Suspend.Suspend";
        "Eio_linux__Sched.Enter";
        "Eio_posix__Sched.Enter";
        "Eio_windows__Sched.Enter";
      ];
    run =
      "Dromos_eio.offload (package dromos-eio), or call Dromos.run in \
       Eio.Domain_manager.run";
    wait = "Dromos_eio.in_eio (package dromos-eio)";
    wrap = Some "Dromos_eio.wrap";
  }

let lwt =
  {
    scheduler = "the Lwt main loop";
    loop = [ ("Lwt_main.run", "unix/lwt_main.") ];
    apart = [];
    effects = [ "Lwt_direct." ];
    waits = [ "Lwt_direct.Await" ];
    run = "Dromos_lwt.offload (package dromos-lwt), or Lwt_preemptive.detach";
    wait = "Dromos_lwt.in_lwt (package dromos-lwt)";
    wrap = Some "Dromos_lwt.fiber";
  }

let async =
  {
    scheduler = "Async's scheduler";
    loop =
      [
        ("Async_unix__Raw_scheduler.", "");
        ("Async_unix__Thread_safe.", "");
        ("Async_kernel__Scheduler.", "");
      ];
    apart = [];
    effects = [];
    waits = [];
    run = "the package dromos-async, or In_thread.run";
    wait = "Dromos_async.await (package dromos-async)";
    wrap = None;
  }

let domainslib =
  {
    scheduler = "a Domainslib task";
    loop = [ ("Domainslib__Task.do_task", "/task.") ];
    apart = [];
    effects = [ "Domainslib__Task." ];
    waits = [ "Domainslib__Task.Wait" ];
    run =
      "Dromos_domainslib.offload (package dromos-domainslib), or a domain of \
       its own";
    wait = "Dromos_domainslib.in_domainslib (package dromos-domainslib)";
    wrap = Some "Dromos_domainslib.wrap";
  }

(* The fibers of picos_mux.thread are threads, so [loop] leaves them out: a run
   blocks only its own thread. *)
let picos =
  {
    scheduler = "a Picos fiber";
    loop =
      [
        ("Picos_mux_fifo.", "/picos_mux.fifo/");
        ("Picos_mux_multififo.", "/picos_mux.multififo/");
        ("Picos_mux_random.", "/picos_mux.random/");
      ];
    apart = [];
    effects = [ "Picos." ];
    waits = [ "Picos.Trigger.Await" ];
    run = "Dromos_picos.offload (package dromos-picos), or a domain of its own";
    wait =
      "the library dromos-picos.scheduler (package dromos-picos), which \
       answers it where it is linked";
    wrap = Some "Dromos_picos.wrap";
  }

let moonpool =
  {
    scheduler = "a Moonpool task";
    loop = [ ("Moonpool__Worker_loop_.", "/worker_loop_.") ];
    apart = [];
    effects = [ "Moonpool__" ];
    waits = [];
    run =
      "Dromos_picos.offload (package dromos-picos: a task of Moonpool is a \
       Picos fiber), or a domain of its own";
    wait =
      "the library dromos-picos.scheduler (package dromos-picos), which \
       answers it where it is linked";
    wrap = Some "Dromos_picos.wrap";
  }

let miou =
  {
    scheduler = "a Miou task";
    loop =
      [ ("Miou_state.", "/miou_state."); ("Miou__Miou_state.", "/miou_state.") ];
    apart = [];
    effects = [ "Miou."; "Miou_sync." ];
    waits = [ "Miou_sync.Trigger.Await" ];
    run =
      "Dromos_miou.offload (package dromos-miou), or a channel to a \
       Dromos.Runtime";
    wait = "Dromos_miou.in_miou (package dromos-miou)";
    wrap = Some "Dromos_miou.wrap";
  }

let all = [ eio; lwt; async; domainslib; picos; moonpool; miou ]
let starts prefix name = String.starts_with ~prefix name

let has_part part text =
  let n = String.length part and m = String.length text in
  let rec at i = i + n <= m && (String.sub text i n = part || at (i + 1)) in
  at 0

(* {1 Around a call} *)

(* Enough frames to reach the loop's entry from any reasonable callback. *)
let depth = 2000

let in_file slot part =
  match Printexc.Slot.location slot with
  | Some { filename; _ } -> has_part part ("/" ^ filename)
  | None -> true

let of_slot slot =
  match Printexc.Slot.name slot with
  | None -> None
  | Some name ->
      List.find_opt
        (fun host ->
          List.exists
            (fun (prefix, part) -> starts prefix name && in_file slot part)
            host.loop)
        all

let stands_apart host slots =
  let is_apart slot =
    match Printexc.Slot.name slot with
    | None -> false
    | Some name -> List.exists (fun prefix -> starts prefix name) host.apart
  in
  Seq.exists is_apart slots

let innermost slots =
  match Seq.find_map of_slot slots with
  | Some host when stands_apart host slots -> None
  | found -> found

(* The last stack that was found outside all schedulers, so that an equal stack
   is not searched again. A program calls [run] from few places. *)
let innocent = Atomic.make (Printexc.get_callstack 0)

let named stack =
  let found =
    Option.bind (Printexc.backtrace_slots stack) (fun slots ->
        innermost (Array.to_seq slots))
  in
  if Option.is_none found then Atomic.set innocent stack;
  found

(* Stacks are compared by their return addresses. *)
let around () =
  let stack = Printexc.get_callstack depth in
  if stack = Atomic.get innocent then None else named stack

(* {1 Effects} *)

let name_of eff =
  Obj.Extension_constructor.name (Obj.Extension_constructor.of_val eff)

let of_effect eff =
  let name = name_of eff in
  List.find_opt
    (fun host -> List.exists (fun prefix -> starts prefix name) host.effects)
    all

(* [true]: the effect is a wait. Other effects of these libraries ask where the
   caller is, and libraries use them to test for a handler. *)
let waits eff =
  let name = name_of eff in
  List.exists (fun host -> List.mem name host.waits) all

let unanswered =
  "a wait of Dromos's, in a task whose scheduler does not answer it; call it \
   within the wrap of that scheduler's bridge (as Dromos_miou.wrap, package \
   dromos-miou)"

let advice eff =
  if starts "Dromos_suspend." (name_of eff) then Some unanswered
  else
    Option.map
      (fun host ->
        Printf.sprintf
          "%s belongs to %s, and was performed outside of it; in a Dromos \
           fiber use %s"
          (name_of eff) host.scheduler host.wait)
      (of_effect eff)

let unhandled eff =
  match if waits eff then advice eff else None with
  | Some text -> Dromos_suspend.Misplaced text
  | None -> Effect.Unhandled eff

let refused eff e = match unhandled eff with Effect.Unhandled _ -> e | m -> m
