open Lwt.Syntax
open Example_http
module Http = Cohttp_lwt_unix.Server

type counts = {
  requests : int;
  computing : int;
  answered : int;
  given_up : int;
  refused : int;
  failed : int;
  connections : int;
}

type t = {
  most : int;
  compute : int -> int Lwt.t;
  log : string -> unit;
  mutable counts : counts;
  serving : Serving.t;
}

let port t = Serving.port t.serving

let counts t =
  { t.counts with connections = (Serving.figures t.serving).connections }

let listen = Socket.listen

(* {1 Answers} *)

let text ?(headers = []) status line =
  let headers =
    Cohttp.Header.of_list (("content-type", "text/plain") :: headers)
  in
  Http.respond_string ~headers ~status ~body:(line ^ "\n") ()

let refuse t ?headers status line =
  t.counts <- { t.counts with refused = t.counts.refused + 1 };
  text ?headers status line

let stats t =
  let c = counts t in
  let headers =
    Cohttp.Header.of_list [ ("content-type", "application/json") ]
  in
  let body =
    Printf.sprintf
      "{\"requests\": %d, \"computing\": %d, \"answered\": %d, \"given_up\": \
       %d, \"refused\": %d, \"failed\": %d, \"connections\": %d}\n"
      c.requests c.computing c.answered c.given_up c.refused c.failed
      c.connections
  in
  Http.respond_string ~headers ~status:`OK ~body ()

(* {1 A request} *)

type outcome = Answer of int | Gone | Shutting_down | Failed of exn

let outcome t connection n =
  let answer =
    Lwt.try_bind
      (fun () -> t.compute n)
      (fun x -> Lwt.return (Answer x))
      (function Lwt.Canceled -> Lwt.return Gone | e -> Lwt.return (Failed e))
  in
  let gone = Lwt.map (fun () -> Gone) (Serving.gone connection) in
  let late = Lwt.map (fun () -> Shutting_down) (Serving.give_up t.serving) in
  Lwt.pick [ answer; gone; late ]

let fib t connection n =
  let c = t.counts in
  t.counts <- { c with requests = c.requests + 1; computing = c.computing + 1 };
  let* outcome = outcome t connection n in
  let c = { t.counts with computing = t.counts.computing - 1 } in
  match outcome with
  | Answer x ->
      t.counts <- { c with answered = c.answered + 1 };
      text `OK (string_of_int x)
  | Gone ->
      t.counts <- { c with given_up = c.given_up + 1 };
      (* A client that only shut down its sending side still receives the
         answer. *)
      text (`Code 499) "given up: the connection was closed before the answer"
  | Shutting_down ->
      t.counts <- { c with given_up = c.given_up + 1 };
      text `Service_unavailable "given up: shutting down"
  | Failed e ->
      t.counts <- { c with failed = c.failed + 1 };
      t.log (Printf.sprintf "fib %d failed: %s" n (Fault.reason e));
      text `Internal_server_error ("failed: " ^ Fault.reason e)

let is_digit c = '0' <= c && c <= '9'

let shown s =
  let s = if String.length s > 40 then String.sub s 0 37 ^ "..." else s in
  String.escaped s

let number t connection what =
  let bad fmt = Printf.ksprintf (refuse t `Bad_request) fmt in
  if what = "" || not (String.for_all is_digit what) then
    bad "\"%s\" is not a number: ask for /fib/N with N from 0 to %d"
      (shown what) t.most
  else
    match int_of_string_opt what with
    | Some n when n <= t.most -> fib t connection n
    | Some _ | None ->
        bad "%s is too large: this server computes fib 0 to fib %d" (shown what)
          t.most

let route t connection request =
  let path = Uri.path (Cohttp.Request.uri request) in
  match (Cohttp.Request.meth request, String.split_on_char '/' path) with
  | _, _ when Serving.stopping t.serving ->
      refuse t `Service_unavailable "shutting down"
  | `GET, [ ""; "" ] ->
      text `OK (Printf.sprintf "GET /fib/N (N from 0 to %d), GET /stats" t.most)
  | `GET, [ ""; "stats" ] -> stats t
  | `GET, [ ""; "fib"; what ] -> number t connection what
  | `GET, _ ->
      refuse t `Not_found
        (Printf.sprintf "nothing at %s: ask for /fib/N or /stats" (shown path))
  | _ ->
      refuse t
        ~headers:[ ("allow", "GET, HEAD") ]
        `Method_not_allowed "GET only"

let start ?(most = 45) ?limits ?(log = prerr_endline) ~compute socket =
  let serving = Serving.over socket in
  let t =
    {
      most;
      compute;
      log;
      serving;
      counts =
        {
          requests = 0;
          computing = 0;
          answered = 0;
          given_up = 0;
          refused = 0;
          failed = 0;
          connections = 0;
        };
    }
  in
  Serving.start ?limits ~log ~refusal:(refuse t ?headers:None) serving
    (fun connection request -> route t connection request);
  t

let stop ?grace t = Serving.stop ?grace t.serving

let stop_on_signal ~say t =
  let under_way () = t.counts.computing in
  Signals.stop_on_signal ~say ~under_way t.serving
