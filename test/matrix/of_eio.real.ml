open Matrix
open Eio

let hands = { Step.yield = Fiber.yield; sync = Dromos_sync.Event.sync }

let task forms program finished late () =
  let body context =
    Party.known late context;
    Step.run hands forms program
  in
  match Cancel.sub body with
  | v -> finished (Ok v)
  | exception e -> finished (Error e)

(* Eio must cancel on the fiber's own domain, and cannot cancel a context after
   its end. *)
let cancel mail context =
  Mail.send mail (fun () ->
      try Cancel.cancel context Exit with Invalid_argument _ -> ())

let name = "eio"

let make _ =
  let mail = Mail.create () in
  (* The loop's switch, from the first message on. *)
  let switch = ref None in
  let serve () =
    Eio_posix.run @@ fun _ ->
    Switch.run @@ fun sw ->
    switch := Some sw;
    Dromos_eio.wrap (fun () -> Mail.serve mail (fun f -> f ()))
  in
  let domain = Domain.spawn serve in
  let start forms program finished =
    let late = Party.late (cancel mail) in
    let task = task forms program finished late in
    Mail.send mail (fun () -> Dromos_eio.fork ~sw:(Option.get !switch) task);
    fun () -> Party.cancel late
  in
  let stop () =
    Mail.close mail;
    Domain.join domain
  in
  let is_cancelled = function Cancel.Cancelled _ -> true | _ -> false in
  let direct = true and cancellable = true in
  { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }

(* {1 Beside the loop} *)

let host main =
  Eio_posix.run @@ fun env ->
  let rec tick () =
    Time.sleep (Stdenv.clock env) 0.0005;
    tick ()
  in
  Fiber.first tick (fun () -> Dromos_eio.wrap main)

let kinds =
  [
    { Party.kind = name; direct = true; make };
    Beside.threads "eio-thread" host;
    Beside.runs "eio-run" host;
  ]
