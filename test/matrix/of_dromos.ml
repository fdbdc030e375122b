open Dromos_sync

let hands = { Step.yield = Dromos.yield; sync = Event.sync }

let task forms program finished late () =
  let body scope =
    Party.known late scope;
    Dromos.check ();
    Step.run hands forms program
  in
  match Dromos.Scope.run body with
  | v -> finished (Ok v)
  | exception e -> finished (Error e)

let fibers hub =
  let kind = "dromos-" ^ Dromos.Hub.name hub in
  let make chance =
    let workers = 1 + Random.State.int chance 2 in
    let mail = Mail.create () in
    let serve () =
      Dromos.run ~workers ~hub @@ fun () ->
      Dromos.Scope.run @@ fun scope -> Mail.serve mail (Dromos.Scope.fork scope)
    in
    let domain = Domain.spawn serve in
    let start forms program finished =
      let late = Party.late Dromos.Scope.cancel in
      Mail.send mail (task forms program finished late);
      fun () -> Party.cancel late
    in
    let stop () =
      Mail.close mail;
      Domain.join domain
    in
    let is_cancelled e = e = Dromos.Cancelled in
    let name = kind and direct = true and cancellable = true in
    { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }
  in
  { Party.kind; direct = true; make }

let kinds = List.map fibers Dromos.Hub.all

(* {1 Threads beside fibers} *)

(* The activity of the domain's fibers meanwhile. *)
let rec tick over =
  if not (Atomic.get over) then begin
    Dromos.sleep 0.0005;
    Dromos.yield ();
    tick over
  end

let host main =
  Dromos.run ~workers:1 @@ fun () ->
  let over = Atomic.make false in
  let ticks = Dromos.async (fun () -> tick over) in
  main ();
  Atomic.set over true;
  Dromos.await ticks

let threads = Beside.threads "dromos-thread" host
