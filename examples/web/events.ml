open Documents
open Lwt.Syntax
open Example_http

let state : Jobs.state -> (string * Yojson.Safe.t) list = function
  | Waiting -> [ ("state", `String "waiting") ]
  | Running -> [ ("state", `String "running") ]
  | Finished pairs -> [ ("state", `String "finished"); ("pairs", `Int pairs) ]
  | Cancelled -> [ ("state", `String "cancelled") ]
  | Failed reason -> [ ("state", `String "failed"); ("error", `String reason) ]

let of_job (job : Jobs.job) =
  let done_, of_ = Comparison.told job.progress in
  [ ("id", `Int job.id); ("at_least", `Float job.at_least) ]
  @ state job.state
  @ [ ("done", `Int done_); ("of", `Int of_) ]

let of_stored (job : Store.job) =
  let comparisons compared =
    let n = compared * (compared - 1) / 2 in
    [ ("done", `Int n); ("of", `Int n) ]
  in
  [ ("id", `Int job.number); ("at_least", `Float job.at_least) ]
  @
  match job.state with
  | Waiting -> state Waiting
  | Running -> state Running
  | Cancelled -> state Cancelled
  | Failed reason -> state (Failed reason)
  | Lost ->
      [
        ("state", `String "lost");
        ("error", `String "the server died while the job ran");
      ]
  | Finished { compared; pairs; seconds } ->
      state (Finished pairs) @ comparisons compared
      @ [ ("seconds", `Float seconds) ]

let event name fields =
  Printf.sprintf "event: %s\ndata: %s\n\n" name
    (Dromos_stdout.json_line (`Assoc fields))

(* Workers only count comparisons, by one atomic addition each. This loop reads
   the count. *)
let of_running connection (job : Jobs.job) =
  (* A stream that is not read, for HEAD, watches no client. *)
  let gone = lazy (Serving.gone connection) in
  let told = ref [] and ended = ref false in
  let end_with value =
    ended := true;
    Lwt.cancel (Lazy.force gone);
    Lwt.return value
  in
  let rec next () =
    if !ended then Lwt.return_none
    else
      let over = Jobs.is_over job in
      let fields = of_job job in
      if over then end_with (Some (event "end" fields))
      else if not (Lwt.is_sleeping (Lazy.force gone)) then end_with None
      else if fields <> !told then begin
        told := fields;
        Lwt.return_some (event "progress" fields)
      end
      else
        (* [gone] must outlive the wait, so a copy is waited for. *)
        let* () =
          Lwt.pick
            [
              Lwt_condition.wait job.changed;
              Lwt_unix.sleep 0.1;
              Lwt.protected (Lazy.force gone);
            ]
        in
        next ()
  in
  Lwt_stream.from next

let answer connection known =
  let stream =
    match known with
    | Either.Left job -> of_running connection job
    | Right fields -> Lwt_stream.of_list [ event "end" fields ]
  in
  let headers =
    Cohttp.Header.of_list
      [ ("content-type", "text/event-stream"); ("cache-control", "no-store") ]
  in
  Cohttp_lwt_unix.Server.respond ~headers ~status:`OK
    ~body:(Cohttp_lwt.Body.of_stream stream)
    ()
