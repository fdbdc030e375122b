(* [outcome] is written by the one who won the race, before he enqueues the
   fiber, and read by the fiber afterwards; Eio's run queue orders the two. Eio
   takes errors without a backtrace, so results travel in [outcome]. *)

open Eio.Private

let () =
  Dromos_suspend.add_cancellation (function
    | Eio.Cancel.Cancelled _ -> true
    | _ -> false)

let wait block =
  let outcome = ref None in
  let decided = Atomic.make false in
  let suspended fiber enqueue =
    let resumer result =
      let first = not (Atomic.exchange decided true) in
      if first then begin
        outcome := Some result;
        enqueue (Ok ())
      end;
      first
    in
    let cancel e =
      if not (Atomic.exchange decided true) then enqueue (Error e)
    in
    match Fiber_context.get_error fiber with
    | Some e -> enqueue (Error e)
    | None -> (
        match block resumer with
        | Some v ->
            outcome := Some (Ok v);
            enqueue (Ok ())
        | None -> (
            (* The fiber may be in the run queue by now, but only this domain
               runs it, or cancels it; [block] may have. *)
            match Fiber_context.get_error fiber with
            | Some e -> cancel e
            | None -> Fiber_context.set_cancel_fn fiber cancel)
        | exception e ->
            (* Against the contract; nothing must be lost. *)
            cancel e)
  in
  Suspend.enter_unchecked (Dromos_suspend.reason ()) suspended;
  match !outcome with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> invalid_arg "Dromos_eio: resumed without a result"

let shield = Eio.Cancel.protect
let wrap f = Dromos_bridge.wrap { wait; shield } f
let fork ~sw f = Eio.Fiber.fork ~sw (fun () -> wrap f)
