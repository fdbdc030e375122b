open Types

let () = Slice.tie { handle = Handler.handle }

let yield () =
  match Effect.perform Handler.Yield with
  | () -> ()
  | exception (Effect.Unhandled Handler.Yield | Misplaced.Misplaced _) ->
      (* In a finaliser or in a callback from C the worker cannot leave the
         fiber. *)
      ()

let step_back fiber =
  Dromos_suspend.suspend ~reason:"its turn" (fun resume ->
      Turns.next_steps_back fiber.worker.turns;
      ignore (resume (Ok ()) : bool);
      None)

let () =
  let operation (type a) (eff : a Effect.t) =
    match eff with
    | Handler.Yield -> Some "yield"
    | Handler.Capture _ -> Some "Sched.capture"
    | _ -> None
  in
  Dromos_suspend.Callback.refuse { operation }
