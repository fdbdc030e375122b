(* The web service: HTTP on Lwt, documents in SQLite, the computing on Dromos.
   See README.md.

   Exit status: 0 after Ctrl-C or SIGTERM; 1 if the port, the database or the
   policy is not available; 2 for a bad command line; 130 if Ctrl-C came a third
   time. *)

open Documents
open Lwt.Syntax

let say text = Printf.eprintf "web: %s\n%!" text
let default_workers = Dromos.default_workers ()

type where = Dromos | Threads | Loop

let engine where ~workers ~policy ~preempt =
  match where with
  | Threads -> Engine.threads ()
  | Loop -> Engine.loop ()
  | Dromos -> Engine.dromos ~workers ?hub:policy ~preempt ()

(* {1 The database} *)

(* A server takes the jobs of the server before for its own, so a second server
   of the file must not start. The lock ends with the process, however that
   ends. *)
let locked file f =
  let lock = file ^ ".lock" in
  match Unix.openfile lock [ O_RDWR; O_CREAT; O_CLOEXEC ] 0o600 with
  | exception Unix.Unix_error (reason, _, _) ->
      failwith (lock ^ ": " ^ Unix.error_message reason)
  | fd ->
      Fun.protect ~finally:(fun () -> Unix.close fd) @@ fun () ->
      (match Unix.lockf fd F_TLOCK 0 with
      | () -> ()
      | exception Unix.Unix_error ((EAGAIN | EACCES), _, _) ->
          failwith ("another server uses the database " ^ file)
      | exception Unix.Unix_error (reason, _, _) ->
          failwith (lock ^ ": " ^ Unix.error_message reason));
      f file

let with_database file f =
  match file with
  | Some file -> locked file f
  | None ->
      let file = Filename.temp_file "web" ".sqlite" in
      let remove suffix =
        try Sys.remove (file ^ suffix) with Sys_error _ -> ()
      in
      Fun.protect
        ~finally:(fun () -> List.iter remove [ ""; "-wal"; "-shm" ])
        (fun () -> f file)

(* Fills a database without documents from the folders. *)
let filled file folders =
  let store = Store.connect file in
  Fun.protect
    ~finally:(fun () -> Store.close store)
    (fun () ->
      if Store.count store = 0 then
        Store.fill store (List.concat_map Folder.texts folders);
      Store.count store)

(* {1 Serving} *)

let announce service (engine : Engine.t) ~host ~documents =
  Printf.printf
    "web: http://%s:%d/, %d documents, computes on %s, Ctrl-C stops\n%!" host
    (Service.port service) documents engine.name

(* The options of the service itself. *)
type bounds = {
  deadline : float;
  running : int;
  waiting : int;
  grace : float;
  largest : int;
  limits : Example_http.Limits.t;
}

let last_words ~kept (c : Jobs.counts) =
  say
    (Printf.sprintf
       "jobs: %d finished, %d cancelled, %d failed; %d more refused%s"
       c.finished c.cancelled c.failed c.refused
       (match c.waiting with
       | 0 -> ""
       | n when kept -> Printf.sprintf "; %d wait for the next start" n
       | n -> Printf.sprintf "; %d lost with the temporary database" n))

let serve ~host ~documents ~kept bounds socket file engine =
  Dromos_lwt.run @@ fun () ->
  let engine : Engine.t = engine () in
  let store = Store.Connections.create file in
  let { deadline; running; waiting; grace; largest; limits } = bounds in
  let* service =
    Service.start ~deadline ~limits ~log:say ~running ~waiting ~largest engine
      store socket
  in
  let stop = Service.stop_on_signal ~say service in
  announce service engine ~host ~documents;
  let* () = stop in
  let* () = Service.stop ~grace service in
  last_words ~kept (Service.jobs service);
  let* () = engine.stop () in
  Store.Connections.close store;
  Lwt.return_unit

let serve_at host port workers policy preempt where database folders bounds =
  match
    if where <> Dromos && policy <> None then
      failwith "--policy is for --compute dromos";
    with_database database @@ fun file ->
    let documents = filled file folders in
    let policy = Option.map Policy_hub.load policy in
    let socket = Example_http.Socket.listen ~host ~port in
    serve ~host ~documents ~kept:(database <> None) bounds socket file
      (fun () -> engine where ~workers ~policy ~preempt)
  with
  | () -> 0
  | exception (Failure reason | Sys_error reason) ->
      say reason;
      1

(* {1 The runtime} *)

let is_variant = Filename.basename (Filename.dirname Sys.executable_name) = "hh"

(* Starts the program again, linked with the heap variant of the runtime. *)
let on_variant () =
  let variant =
    List.fold_left Filename.concat
      (Filename.dirname Sys.executable_name)
      [ "hh"; "main.exe" ]
  in
  if Sys.file_exists variant then
    Unix.execv variant
      (Array.append [| variant |]
         (Array.sub Sys.argv 1 (Array.length Sys.argv - 1)))
  else begin
    say
      "--hh: the program on the other runtime is not there (heap/: OCaml 5.3 \
       on amd64 Linux; make web builds it)";
    1
  end

(* {1 The command line} *)

open Cmdliner
open Example_options

let deadline = positive ~most:3600. "time"

let opt kind default name docv doc =
  Arg.(value & opt kind default & info [ name ] ~docv ~doc)

let bounds =
  let jobs = number ~least:1 ~most:1000 "number of jobs" in
  Term.(
    const (fun deadline running waiting grace largest limits ->
        { deadline; running; waiting; grace; largest; limits })
    $ opt deadline 30. "deadline" "S" "How long a request may take."
    $ opt jobs 1 "running" "N" "Jobs that run at a time."
    $ opt jobs 8 "waiting" "N" "Jobs that wait; one more is answered by 503."
    $ opt seconds 5. "grace" "S"
        "How long Ctrl-C waits for requests under way, before it gives up on \
         them."
    $ opt
        (number ~least:1 ~most:1_000_000_000 "number of bytes")
        1_000_000 "largest" "BYTES" "The largest body of a request."
    $ Example_http.Limits.term)

let term =
  let flag name doc = Arg.(value & flag & info [ name ] ~doc) in
  Term.(
    const (fun hh host port workers policy no_preempt ->
        if hh && not is_variant then fun _ _ _ _ -> on_variant ()
        else serve_at host port workers policy (not no_preempt))
    $ flag "hh"
        "On the runtime without stop-the-world collections (heap/; OCaml 5.3 \
         on amd64 Linux)."
    $ opt Arg.string "127.0.0.1" "host" "ADDRESS" "The address to listen on."
    $ opt
        (number ~least:0 ~most:65535 "port")
        8080 "port" "N" "The port; 0 takes any free one."
    $ opt
        (number ~least:1 ~most:128 "number of workers")
        default_workers "workers" "N"
        "Domains that compute, beside the one that serves."
    $ opt
        Arg.(some string)
        None "policy" "FILE"
        "Has the workers scheduled by this policy (policy/policies has some)."
    $ flag "no-preempt"
        "A piece of a job is not interrupted for small requests."
    $ opt
        (Arg.enum [ ("dromos", Dromos); ("threads", Threads); ("loop", Loop) ])
        Dromos "compute" "WHERE"
        "For comparison: $(b,dromos), $(b,threads) (Lwt_preemptive) or \
         $(b,loop) (Lwt's own thread)."
    $ opt
        Arg.(some string)
        None "database" "FILE" "SQLite's file; by default a temporary one."
    $ Arg.(
        value
        & opt_all dir [ Folder.standard ]
        & info [ "documents" ] ~docv:"DIR"
            ~doc:
              "Where the documents of an empty database are taken from, \
               several times if you like; by default the sources of OCaml's \
               standard library.")
    $ bounds)

let command =
  let doc =
    "a web service that compares documents: Lwt in front, SQLite and Dromos \
     behind"
  in
  let exits =
    Cmd.Exit.
      [
        info 0 ~doc:"after Ctrl-C or SIGTERM.";
        info 1 ~doc:"if the port, the database or the policy cannot be had.";
        info 2 ~doc:"on a bad command line.";
        info 130 ~doc:"if Ctrl-C came three times.";
      ]
  in
  Cmd.v (Cmd.info "web" ~doc ~exits) term

let main () = status command
