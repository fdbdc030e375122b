open Dromos_fiber

let call ~what f x = Masked.call (Dromos_suspend.Callback.call ~what f) x

let or_told ~what ~default f x =
  match call ~what f x with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Dromos_service.Message.failure ~what:(what ()) e bt;
      default
