open Picos

(* Any exception can cancel a computation: [e] is a cancellation if [e] is the
   exception that cancelled the calling fiber's computation. *)
let cancels e =
  match Fiber.canceled (Fiber.current ()) with
  | Some (exn, _) -> exn == e
  | None -> false
  | exception Effect.Unhandled _ -> false

let () = Dromos_suspend.add_cancellation cancels

let wait block =
  Fiber.check (Fiber.current ());
  let trigger = Trigger.create () in
  Dromos_bridge.until_woken block
    ~wake:(fun () -> Trigger.signal trigger)
    ~await:(fun () -> Trigger.await trigger)

let shield f = Fiber.forbid (Fiber.current ()) f
let wrap f = Dromos_bridge.wrap { wait; shield } f

(* {1 Both ways} *)

let crossing =
  Dromos_crossing.make ~name:"picos" ~inside:"Dromos_picos.in_picos"
    ~outside:"Dromos_picos.offload and Dromos_picos.with_loop"

let task { Dromos_crossing.run; _ } =
  let computation = Computation.create () in
  Fiber.spawn (Fiber.create ~forbid:false computation) (fun _ ->
      wrap run;
      Computation.finish computation);
  fun () -> Computation.cancel computation Exit (Printexc.get_callstack 0)

let host = { Dromos_crossing.wrap; shield; fork = task; leave = None }

let offload ?pool f =
  (match Fiber.current () with
  | (_ : Fiber.t) -> ()
  | exception Effect.Unhandled _ ->
      Dromos_crossing.no_task ~call:"Dromos_picos.offload" "Picos fiber");
  Dromos_crossing.offload crossing host ?pool f

let in_picos f = Dromos_crossing.within_host crossing f

let with_loop run f =
  Dromos_crossing.serving crossing
    ~loop:(fun served -> run (fun () -> served host))
    f

let default_pool () = Dromos_crossing.default_pool crossing
