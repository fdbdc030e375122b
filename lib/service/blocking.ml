let unfinished = Atomic.make 0
let pending () = Atomic.get unfinished

(* The setting belongs to the service domain, and is never taken back. *)
let record_backtraces () =
  if not (Printexc.backtrace_status ()) then Printexc.record_backtrace true

let attempt f =
  match Signals.restored f with
  | v -> Ok v
  | exception e -> Error (e, Printexc.get_raw_backtrace ())

let give late result =
  match attempt (fun () -> late (Result.map_error fst result)) with
  | Ok () -> ()
  | Error (e, bt) -> Host.report e bt

(* Counts as pending from [enter] to the first [exit]. *)
let count () =
  let counted = Atomic.make false in
  let enter () =
    Atomic.set counted true;
    Atomic.incr unfinished
  and exit () = if Atomic.exchange counted false then Atomic.decr unfinished in
  (enter, exit)

let call ?(shielded = false) ?late ?(on_leave = fun _ -> ignore) f =
  let result = ref None in
  (* Written before the job is submitted. *)
  let resume = ref (fun _ -> false) in
  let enter, exit = count () in
  let backtraces = Printexc.backtrace_status () in
  let run () =
    if backtraces then record_backtraces ();
    let outcome = attempt (fun () -> Output.during f) in
    result := Some outcome;
    if not (!resume (Ok ())) then
      Option.iter (fun late -> give late outcome) late;
    exit ()
  in
  let job = Threads.job run in
  let abandon () =
    match Threads.leave job with
    | In_line -> exit ()
    | Begun -> if Option.is_none late then exit ()
    | New | Left -> ()
  in
  (* [start] comes first because it may fail; the code from here on must not. *)
  Threads.start ();
  let suspend =
    if shielded then Dromos_suspend.suspend_shielded else Dromos_suspend.suspend
  in
  let listen_no_more = ref ignore in
  match
    suspend ~reason:"blocking" (fun r ->
        resume := r;
        enter ();
        Threads.submit job;
        listen_no_more :=
          on_leave (fun e ->
              ignore (r (Error (e, Printexc.get_callstack 0)) : bool));
        None)
  with
  | () -> (
      !listen_no_more ();
      match !result with
      | Some (Ok v) -> v
      | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
      | None -> invalid_arg "Blocking.call: resumed without a result")
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      !listen_no_more ();
      abandon ();
      Printexc.raise_with_backtrace e bt
