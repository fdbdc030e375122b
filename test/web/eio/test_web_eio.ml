(* Requests to the program over plain sockets: searches, a job beside the
   searches, refused requests. *)

open Documents

let program = "../../../examples/web/eio/main.exe"

(* Every second document has the words of the document before. *)
let documents =
  List.init 40 (fun i ->
      let word j = Printf.sprintf "word%d_%d" (i / 2) j in
      let text = String.concat " " (List.init 60 word) in
      (Printf.sprintf "number %d" i, Printf.sprintf "%s\nzebra%d" text i))

let free_port () =
  let socket = Unix.socket PF_INET SOCK_STREAM 0 in
  Unix.bind socket (ADDR_INET (Unix.inet_addr_loopback, 0));
  let port =
    match Unix.getsockname socket with
    | ADDR_INET (_, port) -> port
    | ADDR_UNIX _ -> assert false
  in
  Unix.close socket;
  port

let connect port =
  let socket = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  match Unix.connect socket (ADDR_INET (Unix.inet_addr_loopback, port)) with
  | () -> Some socket
  | exception Unix.Unix_error (ECONNREFUSED, _, _) ->
      Unix.close socket;
      None

(* The answer's status and body: the server closes the connection after the
   answer. *)
let ask port meth path =
  let socket = Option.get (connect port) in
  let ic = Unix.in_channel_of_descr socket in
  let request =
    Printf.sprintf
      "%s %s HTTP/1.1\r\n\
       host: localhost\r\n\
       connection: close\r\n\
       content-length: 0\r\n\
       \r\n"
      meth path
  in
  ignore (Unix.write_substring socket request 0 (String.length request) : int);
  let answer = In_channel.input_all ic in
  close_in ic;
  Scanf.sscanf answer "HTTP/1.1 %d" (fun status -> (status, answer))

let rec until_it_listens pid port =
  match connect port with
  | Some socket -> Unix.close socket
  | None -> (
      match Unix.waitpid [ WNOHANG ] pid with
      | 0, _ ->
          Unix.sleepf 0.02;
          until_it_listens pid port
      | _ -> Alcotest.fail "the program has ended")

let serving f =
  let database = Filename.temp_file "web_eio" ".db" in
  Sys.remove database;
  let store = Store.connect database in
  Store.fill store documents;
  Store.close store;
  let port = free_port () in
  let arguments = [| program; database; string_of_int port |] in
  let pid =
    Unix.create_process program arguments Unix.stdin Unix.stdout Unix.stderr
  in
  Fun.protect
    (fun () ->
      until_it_listens pid port;
      f (ask port))
    ~finally:(fun () ->
      Unix.kill pid Sys.sigkill;
      ignore (Unix.waitpid [] pid : int * Unix.process_status);
      let files = [ database; database ^ "-wal"; database ^ "-shm" ] in
      List.iter Sys.remove (List.filter Sys.file_exists files))

let expect (status, answer) wanted part =
  Alcotest.(check int) answer wanted status;
  if not (Said.contains answer part) then
    Alcotest.failf "%S is not in:\n%s" part answer

let searches () =
  serving @@ fun ask ->
  expect (ask "GET" "/documents?q=zebra7") 200 {|"number 7"|};
  expect (ask "GET" "/documents?q=zebra7%20word3_0") 200 "number 7";
  expect (ask "GET" "/documents?q=nothing") 200 "{}"

let jobs () =
  serving @@ fun ask ->
  let job = Domain.spawn (fun () -> ask "POST" "/jobs") in
  for i = 0 to 19 do
    let path = Printf.sprintf "/documents?q=zebra%d" i in
    expect (ask "GET" path) 200 (Printf.sprintf "number %d" i)
  done;
  expect (Domain.join job) 200 {|{"pairs":20}|}

let refusals () =
  serving @@ fun ask ->
  expect (ask "GET" "/elsewhere") 404 "GET /documents?q=words";
  expect (ask "DELETE" "/documents") 404 "POST /jobs"

let () =
  let case = Watch.case in
  Watch.suite "web under Eio" (fun () ->
      Alcotest.run ~and_exit:false "web under Eio"
        [
          ( "requests",
            [
              case "searches" searches;
              case "a job beside searches" jobs;
              case "refusals" refusals;
            ] );
        ])
