let rec wait () =
  match Unix.read Unix.stdin (Bytes.create 1) 0 1 with
  | 0 -> ()
  | _ -> wait ()
  | exception Unix.Unix_error (EINTR, _, _) -> wait ()
  | exception Unix.Unix_error _ -> ()

let watch ?(patience = 3.) stop =
  let body () =
    wait ();
    stop ();
    Thread.delay patience;
    Unix._exit 3
  in
  ignore (Thread.create body () : Thread.t)
