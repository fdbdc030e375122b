let answer flow status body =
  Eio.Flow.copy_string
    (Printf.sprintf
       "HTTP/1.1 %s\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%s"
       status (String.length body) body)
    flow

let rec skip_header input =
  if Eio.Buf_read.line input <> "" then skip_header input

let respond compute flow request =
  match Scanf.sscanf request "GET /fib/%d HTTP/1.1" Fun.id with
  | n -> answer flow "200 OK" (string_of_int (compute n) ^ "\n")
  | exception (Scanf.Scan_failure _ | Failure _ | End_of_file) ->
      answer flow "404 Not Found" "GET /fib/N\n"

let converse compute flow _ =
  let input = Eio.Buf_read.of_flow ~max_size:65536 flow in
  let rec next () =
    if not (Eio.Buf_read.at_end_of_input input) then begin
      let request = Eio.Buf_read.line input in
      skip_header input;
      respond compute flow request;
      next ()
    end
  in
  (* Clients close the connection after their measurement. *)
  try next () with Eio.Io _ | End_of_file -> ()

let serve ~net ~ready ~stop compute =
  Eio.Switch.run @@ fun sw ->
  let socket =
    Eio.Net.listen ~sw ~reuse_addr:true ~backlog:1024 net
      (`Tcp (Eio.Net.Ipaddr.V4.loopback, 0))
  in
  (match Eio.Net.listening_addr socket with
  | `Tcp (_, port) -> ready port
  | `Unix _ -> ());
  (* The first of the two to end: clients may keep connections open. *)
  Eio.Fiber.first
    (fun () -> Eio.Promise.await stop)
    (fun () ->
      Eio.Net.run_server socket (converse compute) ~on_error:(fun e ->
          prerr_endline (Printexc.to_string e)))
