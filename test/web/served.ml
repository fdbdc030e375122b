open Documents
open Web
open Example_http
open Lwt.Syntax

let check_int = Watch.check Alcotest.int

let text words =
  String.concat "\n"
    (List.map (fun i -> Printf.sprintf "line %d %s" i words) [ 1; 2; 3 ])

let documents =
  let many = String.concat " " (List.init 50 (Printf.sprintf "word%d_")) in
  let many name = many ^ " " ^ name in
  [
    ("first", many "of the first");
    ("second", many "of the second");
    ("third", text "nothing like these at all");
    ("fourth", text "a zebra crosses this street");
  ]

(* {1 Waiting jobs} *)

type gate = {
  entered : unit Dromos.Ivar.t;
  way : unit Dromos.Ivar.t;
  gone : int Atomic.t;
}

let gate () =
  {
    entered = Dromos.Ivar.create ();
    way = Dromos.Ivar.create ();
    gone = Atomic.make 0;
  }

let compare gate _each progress ~at_least:_ documents =
  Comparison.total progress 3;
  Comparison.step progress 1;
  ignore (Dromos.Ivar.try_fill gate.entered () : bool);
  Fun.protect
    ~finally:(fun () -> Atomic.incr gate.gone)
    (fun () -> Dromos.Ivar.read gate.way);
  Comparison.step progress 2;
  let id i = documents.(i).Store.id in
  [ { Store.a = id 0; b = id 1; common = 0.75 } ]

let started gate = Dromos_lwt.sync (Dromos.Ivar.read_event gate.entered)
let open_ gate = ignore (Dromos.Ivar.try_fill gate.way () : bool)

let until what test =
  let deadline = Unix.gettimeofday () +. 20. in
  let rec look () =
    if test () then Lwt.return_unit
    else if Unix.gettimeofday () > deadline then Alcotest.failf "never: %s" what
    else
      let* () = Lwt_unix.sleep 0.005 in
      look ()
  in
  look ()

let left gate n =
  until (Printf.sprintf "%d jobs leave" n) (fun () -> Atomic.get gate.gone >= n)

(* {1 The service} *)

type t = { service : Service.t; address : Unix.sockaddr; port : int }

let with_folder f =
  let folder = Filename.temp_dir "web" "" in
  Fun.protect
    ~finally:(fun () ->
      Array.iter
        (fun name -> Sys.remove (Filename.concat folder name))
        (Sys.readdir folder);
      Sys.rmdir folder)
    (fun () -> f (Filename.concat folder "test.sqlite"))

let with_database database f =
  match database with Some file -> f file | None -> with_folder f

let two_workers () = Engine.dromos ~workers:2 ()

let run ?database ?(engine = two_workers) ?deadline ?limits
    ?(log = fun line -> Alcotest.failf "a failure: %s" line) ?waiting ?largest
    ?page ?gate f =
  with_database database @@ fun file ->
  let store = Store.connect file in
  if Store.count store = 0 then Store.fill store documents;
  Store.close store;
  Dromos_lwt.run @@ fun () ->
  let engine = engine () in
  let store = Store.Connections.create file in
  let socket = Socket.listen ~host:"127.0.0.1" ~port:0 in
  let* service =
    Service.start ?deadline ?limits ~log ?waiting ?largest ?page
      ?compare:(Option.map compare gate) engine store socket
  in
  let port = Service.port service in
  let address = Unix.ADDR_INET (Unix.inet_addr_loopback, port) in
  Lwt.finalize
    (fun () -> f { service; address; port })
    (fun () ->
      let* () = Service.stop ~grace:0. service in
      let* () = engine.stop () in
      Store.Connections.close store;
      Lwt.return_unit)

let ask t ?meth ?body path =
  let* client = Client.connect t.address in
  Lwt.finalize
    (fun () -> Client.request client ?meth ?body path)
    (fun () -> Client.close client)

let expect t ?meth ?body path status part =
  let* answer = ask t ?meth ?body path in
  check_int (path ^ ": " ^ answer.body) status answer.status;
  if not (Said.contains answer.body part) then
    Alcotest.failf "%s: %S does not say %S" path answer.body part;
  Lwt.return_unit

let json (answer : Client.answer) = Yojson.Safe.from_string answer.body
