open Matrix
module Task = Domainslib.Task

let name = "domainslib"

(* Domainslib has no yield. *)
let yield pool () = Task.await pool (Task.async pool ignore)

let make _ =
  let mail = Mail.create () in
  (* The domain that makes a pool owns the pool. *)
  let serve () =
    let pool = Task.setup_pool ~num_domains:1 () in
    let begin_ f =
      let task () =
        f { Step.yield = yield pool; sync = Dromos_sync.Event.sync }
      in
      ignore (Dromos_domainslib.async pool task : unit Task.promise)
    in
    Dromos_domainslib.run pool (fun () -> Mail.serve mail begin_);
    Task.teardown_pool pool
  in
  let domain = Domain.spawn serve in
  let start forms program finished =
    Mail.send mail (fun hands ->
        match Step.run hands forms program with
        | v -> finished (Ok v)
        | exception e -> finished (Error e));
    ignore
  in
  let stop () =
    Mail.close mail;
    Domain.join domain
  in
  let is_cancelled _ = false in
  let direct = true and cancellable = false in
  { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }

let host main =
  let pool = Task.setup_pool ~num_domains:1 () in
  Dromos_domainslib.run pool main;
  Task.teardown_pool pool

let kinds =
  [
    { Party.kind = name; direct = true; make };
    Beside.threads "domainslib-thread" host;
    Beside.runs "domainslib-run" host;
  ]
