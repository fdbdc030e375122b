(* The winning resumer writes [outcome] before it enqueues the fiber; the fiber
   reads [outcome] afterwards. Eio's run queue orders the two accesses. Eio
   accepts errors without a backtrace only, so results travel in [outcome]. *)

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
            (* Looks again, since [block] may have cancelled the fiber. A
               resumer may have put the fiber into the run queue by now; but
               only this domain runs or cancels the fiber, so the fiber has not
               continued yet. *)
            match Fiber_context.get_error fiber with
            | Some e -> cancel e
            | None -> Fiber_context.set_cancel_fn fiber cancel)
        | exception e ->
            (* A breach of the contract; the exception must not be lost. *)
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

(* {1 Both ways} *)

let crossing =
  Dromos_crossing.make ~name:"eio" ~inside:"Dromos_eio.in_eio"
    ~outside:"Dromos_eio.offload and Dromos_eio.with_loop"

(* A switch that is off starts no fiber, and raises nothing. *)
let task sw { Dromos_crossing.run; _ } =
  let context = ref None in
  let fiber () =
    try
      Eio.Cancel.sub (fun cc ->
          context := Some cc;
          wrap run)
    with Eio.Cancel.Cancelled _ -> ()
  in
  Eio.Switch.check sw;
  Eio.Fiber.fork ~sw fiber;
  fun () ->
    (* Eio refuses to cancel a context after its end. *)
    try Option.iter (fun cc -> Eio.Cancel.cancel cc Exit) !context
    with Invalid_argument _ -> ()

let within f =
  Eio.Switch.run (fun sw ->
      f { Dromos_crossing.wrap; shield; fork = task sw; leave = None })

let offload ?pool f =
  (match Eio.Fiber.is_cancelled () with
  | (_ : bool) -> ()
  | exception Effect.Unhandled _ ->
      Dromos_crossing.no_task ~call:"Dromos_eio.offload" "Eio fiber");
  within (fun host -> Dromos_crossing.offload crossing host ?pool f)

let in_eio f = Dromos_crossing.within_host crossing f

let with_loop run f =
  let env = ref None in
  let loop served =
    run (fun found ->
        env := Some found;
        within served)
  in
  Dromos_crossing.serving crossing ~loop (fun () -> f (Option.get !env))

let default_pool () = Dromos_crossing.default_pool crossing
