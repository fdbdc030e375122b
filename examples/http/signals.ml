let stop_on_signal ~say ~under_way server =
  let wanted, want = Lwt.wait () in
  let received = ref 0 in
  let handle _ =
    incr received;
    match !received with
    | 1 ->
        (match under_way () with
        | 0 -> say "stopping"
        | n ->
            say
              (Printf.sprintf
                 "stopping after %d request%s under way; once more gives up on \
                  them"
                 n
                 (if n = 1 then "" else "s")));
        Lwt.wakeup_later want ()
    | 2 ->
        say "giving up on what is under way";
        Lwt.async (fun () -> Serving.stop ~grace:0. server)
    | _ -> Unix._exit 130
  in
  List.iter
    (fun s -> ignore (Lwt_unix.on_signal s handle : Lwt_unix.signal_handler_id))
    [ Sys.sigint; Sys.sigterm ];
  wanted
