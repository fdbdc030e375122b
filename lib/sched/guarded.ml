let masked f x =
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then f x
  else begin
    fiber.masked <- fiber.masked + 1;
    match f x with
    | v ->
        fiber.masked <- fiber.masked - 1;
        v
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        fiber.masked <- fiber.masked - 1;
        Printexc.raise_with_backtrace e bt
  end

let call ~what f x = masked (Dromos_suspend.Callback.call ~what f) x

let or_told ~what ~default f x =
  match call ~what f x with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Dromos_service.Message.failure ~what:(what ()) e bt;
      default
