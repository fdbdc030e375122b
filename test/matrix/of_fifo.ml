open Dromos_sync

let hands = { Step.yield = Dromos_fifo.yield; sync = Event.sync }

let task forms program finished late () =
  let body () =
    match Step.run hands forms program with
    | v -> finished (Ok v)
    | exception e -> finished (Error e)
  in
  Party.known late (Dromos_fifo.fork body)

let kind =
  let kind = "fifo-fiber" in
  let make _ =
    let mail = Mail.create () in
    let serve () =
      Dromos_fifo.run (fun () -> Mail.serve mail (fun f -> f ()))
    in
    let domain = Domain.spawn serve in
    let start forms program finished =
      let late = Party.late Dromos_fifo.cancel in
      Mail.send mail (task forms program finished late);
      fun () -> Party.cancel late
    in
    let stop () =
      Mail.close mail;
      Domain.join domain
    in
    let is_cancelled e = e = Dromos_fifo.Cancelled in
    let name = kind and direct = true and cancellable = true in
    { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }
  in
  { Party.kind; direct = true; make }
