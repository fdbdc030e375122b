module Trigger = Miou.Trigger

let () =
  Dromos_suspend.add_cancellation (function
    | Miou.Cancelled -> true
    | _ -> false)

(* Miou is told through a pipe, which may be closed by then: its loop ends as soon as
   the task that this wakes has ended. *)
let signal trigger = try Trigger.signal trigger with _ -> ()

let wait block =
  let trigger = Trigger.create () in
  Dromos_bridge.until_woken block
    ~wake:(fun () -> signal trigger)
    ~await:(fun () ->
      match Trigger.await trigger with
      | cancelled -> cancelled
      | exception e -> Some (e, Printexc.get_raw_backtrace ()))

(* Miou ends a task that it has cancelled at the task's next effect. *)
let shield f = f ()

(* Asking an outer [wrap] for its identity would be an effect that ends Miou where there
   is none. *)
let wrap f =
  Dromos_bridge.wrap ~id:(Dromos_suspend.fresh_id ()) { wait; shield } f

(* {1 Both ways} *)

let crossing =
  Dromos_crossing.make ~name:"miou" ~inside:"Dromos_miou.in_miou"
    ~outside:"Dromos_miou.offload"

(* A task has to await, or cancel, each of its children. *)
let within f =
  let children = ref [] in
  let fork body =
    let child = Miou.async body in
    children := child :: !children;
    fun () -> Miou.cancel child
  in
  let over () =
    List.iter
      (fun child -> ignore (Miou.await child : (unit, exn) result))
      !children
  in
  match f { Dromos_crossing.wrap; shield; fork; lasts = false } with
  | v ->
      over ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      over ();
      Printexc.raise_with_backtrace e bt

let offload ?pool f =
  within (fun host -> Dromos_crossing.offload crossing host ?pool f)

let in_miou f = Dromos_crossing.within_host crossing f
let default_pool () = wrap (fun () -> Dromos_crossing.default_pool crossing)
