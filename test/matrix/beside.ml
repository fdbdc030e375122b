open Dromos_sync

type host = (unit -> unit) -> unit

(* [begin_] starts a task; call [begin_] on the domain that runs the host. *)
let kind kind (host : host) hands begin_ =
  let make _ =
    let mail = Mail.create () in
    let domain = Domain.spawn (fun () -> host (fun () -> begin_ mail)) in
    let start forms program finished =
      Mail.send mail (fun () ->
          match Step.run hands forms program with
          | v -> finished (Ok v)
          | exception e -> finished (Error e));
      ignore
    in
    let stop () =
      Mail.close mail;
      Domain.join domain
    in
    let is_cancelled _ = false and direct = true and cancellable = false in
    let name = kind and start = { Party.start } in
    { Party.name; direct; cancellable; is_cancelled; start; stop }
  in
  { Party.kind; direct = true; make }

let threads name host =
  kind name host { Step.yield = Thread.yield; sync = Event.sync } (fun mail ->
      Mail.serve mail (fun f -> ignore (Thread.create f () : Thread.t)))

(* The host's task waits, in its own way, for the end of the run. *)
let runs name host =
  kind name host { Step.yield = Dromos.yield; sync = Event.sync } (fun mail ->
      let over = Promise.create () in
      let run () =
        Dromos.run ~workers:1 (fun () ->
            Dromos.Scope.run (fun scope ->
                Mail.serve mail (Dromos.Scope.fork scope)));
        Promise.resolve over ()
      in
      let thread = Thread.create run () in
      Promise.await over;
      Thread.join thread)
