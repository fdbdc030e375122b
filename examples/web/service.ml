open Documents
open Lwt.Syntax
open Example_http

type t = {
  engine : Engine.t;
  store : Store.Connections.t;
  serving : Serving.t;
  jobs : Jobs.t;
  metrics : Metrics.t;
  log : string -> unit;
  deadline : float;
  largest : int;
  page : string;
}

let port t = Serving.port t.serving
let requests t = Metrics.under_way t.metrics
let jobs t = Jobs.counts t.jobs
let query = Reading.query
let ask t f = query t.engine t.store f

(* {1 Jobs} *)

(* Once found, the pairs are kept in the database even if the job is cancelled
   from then on. *)
let run ~compare engine store (job : Jobs.job) =
  let started = Clock.now () in
  let* documents, _ =
    query engine store (fun db -> Store.documents db job.documents)
  in
  let documents = Array.of_list documents in
  let* pairs =
    engine.compute (fun each ->
        compare each job.progress ~at_least:job.at_least documents)
  in
  let compared = Array.length documents in
  let seconds = Clock.now () -. started in
  let* () =
    Lwt.no_cancel
      (query engine store (fun db ->
           Store.keep db job.id ~compared ~seconds pairs))
  in
  Lwt.return (List.length pairs)

let book engine store =
  {
    Jobs.accept =
      (fun ~at_least ~documents ~watched ->
        query engine store (Store.accept ~at_least ~documents ~watched));
    note =
      (fun id state -> query engine store (fun db -> Store.set db id state));
  }

let refuse_missing t = function
  | None -> Lwt.return_unit
  | Some ids -> (
      let* _, missing = ask t (fun db -> Store.documents db (Some ids)) in
      match missing with
      | [] -> Lwt.return_unit
      | id :: _ -> Answer.refuse `Bad_request "there is no document %d" id)

let submit t uri connection =
  let* json = Answer.body ~most:t.largest connection in
  let at_least =
    Answer.field json "at_least" Value.share ~what:"a number from 0 to 1"
  in
  let documents =
    Answer.field json "documents" Value.numbers
      ~what:"a list of documents' numbers"
  in
  let* () = refuse_missing t documents in
  let at_least = Option.value at_least ~default:0.3 in
  let watched = Uri.get_query_param uri "wait" <> None in
  let* job = Jobs.submit t.jobs ~watched ~at_least ~documents in
  match job with
  | None ->
      Answer.refuse `Service_unavailable
        ~headers:[ ("retry-after", "1") ]
        "%d jobs wait already: try again later" (Jobs.counts t.jobs).waiting
  | Some job when not watched ->
      Answer.json ~status:`Accepted
        ~headers:[ ("location", Printf.sprintf "/jobs/%d" job.id) ]
        (`Assoc (Events.of_job job))
  | Some job -> (
      let* state = Jobs.wait t.jobs job in
      match state with
      | Failed reason -> Answer.refuse `Internal_server_error "%s" reason
      | _ -> Answer.json (`Assoc (Events.of_job job)))

let of_pair ((p : Store.pair), a, b) =
  let side id title = `Assoc [ ("id", `Int id); ("title", `String title) ] in
  `Assoc [ ("a", side p.a a); ("b", side p.b b); ("common", `Float p.common) ]

(* A job that the server remembers, or its fields from the database. *)
let known t id =
  match Jobs.find t.jobs id with
  | Some job -> Lwt.return (Either.Left job)
  | None -> (
      let* job = ask t (fun db -> Store.job db id) in
      match job with
      | Some job -> Lwt.return (Either.Right (Events.of_stored job))
      | None -> Answer.refuse `Not_found "there is no job %d" id)

let job t id =
  let* known = known t id in
  let* pairs = ask t (fun db -> Store.pairs db id ~limit:100) in
  let fields = Either.fold ~left:Events.of_job ~right:Fun.id known in
  Answer.json (`Assoc (fields @ [ ("found", `List (List.map of_pair pairs)) ]))

let events t connection id =
  let* known = known t id in
  Events.answer connection known

let cancel t id =
  let* known = known t id in
  match known with
  | Left job when not (Jobs.is_over job) ->
      let* () = Jobs.cancel t.jobs job in
      (* A job whose result is just being kept ends well. *)
      let status = if job.state = Cancelled then `OK else `Conflict in
      Answer.json ~status (`Assoc (Events.of_job job))
  | Left _ | Right _ -> Answer.refuse `Conflict "job %d is over" id

(* {1 Figures} *)

let metrics t =
  let c = jobs t in
  let db = Store.Connections.stats t.store in
  let clients = Serving.figures t.serving in
  let number = float_of_int in
  let text =
    Metrics.print t.metrics
      [
        Gauge ("web_jobs_waiting", "Jobs in line.", number c.waiting);
        Gauge ("web_jobs_running", "Jobs that are computed.", number c.running);
        Counter
          ("web_jobs_finished_total", "Jobs with a result.", number c.finished);
        Counter
          ("web_jobs_cancelled_total", "Jobs given up.", number c.cancelled);
        Counter ("web_jobs_failed_total", "Jobs that failed.", number c.failed);
        Counter
          ( "web_jobs_refused_total",
            "Jobs for which the line was too long.",
            number c.refused );
        Gauge
          ( "web_connections",
            "Clients' connections.",
            number clients.connections );
        Counter
          ( "web_requests_refused_total",
            "Requests refused before they had a route.",
            number clients.refused );
        Counter
          ( "web_connections_closed_total",
            "Connections closed to make room for others.",
            number clients.closed );
        Gauge
          ( "web_database_connections_in_use",
            "Connections to SQLite.",
            number db.in_use );
        Gauge
          ("web_database_waiting", "Tasks that wait for one.", number db.waiting);
      ]
  in
  Answer.page ~kind:"text/plain; version=0.0.4" (text ^ t.engine.figures ())

(* {1 A request} *)

(* The route under which the request is counted, and its answer. *)
let route t connection request =
  let uri = Cohttp.Request.uri request in
  let path = String.split_on_char '/' (Uri.path uri) in
  let only meth =
    Answer.refuse `Method_not_allowed
      ~headers:[ ("allow", meth) ]
      "%s only" meth
  in
  match (path, Cohttp.Request.meth request) with
  | [ ""; "" ], `GET ->
      ("page", fun () -> Answer.page ~kind:"text/html; charset=utf-8" t.page)
  | [ ""; "documents" ], `GET ->
      ("search", fun () -> Reading.search t.engine t.store uri)
  | [ ""; "documents" ], `POST ->
      ( "add",
        fun () -> Reading.add t.engine t.store ~largest:t.largest connection )
  | [ ""; "documents"; id ], `GET ->
      ("document", fun () -> Reading.document t.engine t.store (Value.number id))
  | [ ""; "jobs" ], `POST -> ("submit", fun () -> submit t uri connection)
  | [ ""; "jobs"; id ], `GET -> ("job", fun () -> job t (Value.number id))
  | [ ""; "jobs"; id ], `DELETE ->
      ("cancel", fun () -> cancel t (Value.number id))
  | [ ""; "jobs"; id; "events" ], `GET ->
      ("events", fun () -> events t connection (Value.number id))
  | [ ""; "metrics" ], `GET -> ("metrics", fun () -> metrics t)
  | [ ""; "documents" ], _ -> ("other", fun () -> only "GET, HEAD, POST")
  | [ ""; "jobs" ], _ -> ("other", fun () -> only "POST")
  | [ ""; "jobs"; _ ], _ -> ("other", fun () -> only "GET, HEAD, DELETE")
  | ( ( [ ""; ("" | "metrics") ]
      | [ ""; "documents"; _ ]
      | [ ""; "jobs"; _; "events" ] ),
      _ ) ->
      ("other", fun () -> only "GET, HEAD")
  | _ ->
      ( "other",
        fun () ->
          Answer.refuse `Not_found "there is nothing at %s" (Uri.path uri) )

(* The first of the promises; the others are cancelled. *)
let outcome t connection request answer =
  let seconds =
    Option.value ~default:t.deadline
      (Answer.parameter
         (Cohttp.Request.uri request)
         "deadline" Value.deadline ~what:"a number of seconds")
  in
  let seconds = Float.min seconds t.deadline in
  let late () = Answer.refuse `Gateway_timeout "the deadline is over" in
  let after promise refuse = Lwt.map refuse promise in
  if seconds <= 0. then late ()
  else
    Lwt.pick
      [
        Lwt.apply answer ();
        after (Lwt_unix.sleep seconds) late;
        after (Serving.gone connection) (fun () ->
            Answer.refuse (`Code 499) "the client left");
        after (Serving.give_up t.serving) (fun () ->
            Answer.refuse `Service_unavailable "shutting down");
      ]

let failed t request e =
  t.log (Fault.of_request request e);
  Answer.refusal `Internal_server_error [] (Fault.reason e)

let handle t connection request =
  let began = Clock.now () in
  Metrics.begins t.metrics;
  let route, answer = route t connection request in
  let* ((response, _) as answer) =
    Lwt.catch
      (fun () ->
        if Serving.stopping t.serving then
          Answer.refuse `Service_unavailable "shutting down"
        else outcome t connection request answer)
      (function
        | Answer.Refused (status, headers, reason) ->
            Answer.refusal status headers reason
        | Intake.Bad { status; reason } -> Answer.refusal status [] reason
        | e -> failed t request e)
  in
  let status = Cohttp.Code.code_of_status (Cohttp.Response.status response) in
  Metrics.request t.metrics ~route ~status ~seconds:(Clock.now () -. began);
  Lwt.return answer

let start ?(deadline = 30.) ?limits ?(log = prerr_endline) ?running ?waiting
    ?(largest = 1_000_000) ?(page = Page.html) ?(compare = Comparison.pairs)
    engine store socket =
  let jobs =
    Jobs.create ?running ?waiting ~log (book engine store)
      (run ~compare engine store)
  in
  let* left = query engine store Store.resume in
  Jobs.resume jobs left;
  let serving = Serving.over socket and metrics = Metrics.create () in
  let t =
    { engine; store; serving; jobs; metrics; log; deadline; largest; page }
  in
  Serving.start ?limits ~log
    ~refusal:(fun status reason -> Answer.refusal status [] reason)
    serving (handle t);
  Lwt.return t

let stop_on_signal ~say t =
  Signals.stop_on_signal ~say ~under_way:(fun () -> requests t) t.serving

let stop ?grace t =
  let* () = Serving.stop ?grace t.serving in
  Jobs.stop t.jobs
